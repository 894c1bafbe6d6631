#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "runner/repeating_timer.hpp"
#include "runner/runner.hpp"
#include "runner/schedule.hpp"
#include "runner/signals.hpp"
#include "runner/worker_process.hpp"

namespace gpucheck::runner {

/// How long the device may take to answer when it is first asked: a cold node with eight
/// GPUs and no persistence daemon needs tens of seconds.
inline constexpr std::chrono::milliseconds identify_limit{120'000};

/// What `end` of an identify request says. @throws EnvironmentError, UsageError.
IdentityReply identity_from(RequestEnd end, const std::string& device);

/// One run from its first event to its last. Single-threaded: everything happens in
/// callbacks of one io_context.
class Supervisor {
 public:
  Supervisor(std::span<const PlannedCase> plan, const golden::GoldenSet& goldens, const Options& options,
             std::span<harness::EventSink* const> sinks);

  /// Call once.
  RunSummary run();

 private:
  using Clock = std::chrono::steady_clock;

  /// What is known about one planned case beyond the plan.
  struct Progress {
    std::vector<harness::Attempt> earlier_attempts;
    std::optional<harness::CaseResult> last_failure;
    bool announced = false;
    bool finished = false;
  };

  void identified(RequestEnd end);
  void begin(IdentityReply identity);
  void start_cases();
  void start(std::size_t index);
  void attempt_ended(std::size_t index, WorkerProcess& worker, RequestEnd end);
  void settle(std::size_t index, harness::CaseResult result);
  void finish_case(std::size_t index, harness::CaseResult result);
  void finish_run_when_done();
  void beat();
  void interrupt(int signal);

  [[nodiscard]] bool needs_fresh_worker(std::size_t index) const;
  [[nodiscard]] std::chrono::milliseconds limit_of(std::size_t index) const;
  [[nodiscard]] std::vector<Load> loads() const;
  void list_unfinished(harness::RunFinished& event) const;
  WorkerProcess& worker_for(std::size_t index);
  void dispose(WorkerProcess& worker, bool keep);
  void retire_idle_workers(const WorkerProcess* except);
  WorkerProcess& start_worker();
  [[nodiscard]] WorkerProcess* idle_worker_for(std::size_t index);
  [[nodiscard]] bool make_room_for(std::size_t index);
  void worker_gone();

  template <typename Event>
  void tell(const Event& event) {
    harness::tell(sinks_, event);
  }

  std::span<const PlannedCase> plan_;
  const golden::GoldenSet& goldens_;
  const Options& options_;
  std::span<harness::EventSink* const> sinks_;
  int jobs_ = 1;  ///< known when the device is
  boost::asio::io_context context_{1};
  InterruptGuard interrupt_guard_;
  std::list<WorkerProcess> workers_;
  std::vector<Progress> progress_;
  std::optional<Schedule> schedule_;
  IdentityReply identity_;
  RepeatingTimer heartbeat_;
  std::optional<fleet::WaiverBook> waivers_;  ///< from the start of the run on
  RunSummary summary_;
  Clock::time_point started_ = Clock::now();
  std::uint64_t sequence_ = 0;
  std::optional<std::size_t> held_back_;  ///< an exclusive case that waits for workers to leave
  int signal_ = 0;
  bool stopping_ = false;
  bool over_ = false;
};

}  // namespace gpucheck::runner
