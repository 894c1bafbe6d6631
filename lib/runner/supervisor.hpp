#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runner/assignment.hpp"
#include "runner/device_clock.hpp"
#include "runner/repeating_timer.hpp"
#include "runner/run_ledger.hpp"
#include "runner/runner.hpp"
#include "runner/schedule.hpp"
#include "runner/signals.hpp"
#include "runner/worker_pool.hpp"

namespace gpucheck::runner {

/// One run from its first event to its last. Single-threaded: everything happens in
/// callbacks of one io_context.
class Supervisor {
 public:
  Supervisor(const Plan& plan, const golden::GoldenSet& goldens, const Options& options,
             std::span<harness::EventSink* const> sinks);

  /// Call once.
  RunSummary run();

 private:
  using Clock = std::chrono::steady_clock;

  /// What is known about one assignment beyond the plan.
  struct Progress {
    std::vector<harness::Attempt> earlier_attempts;
    std::optional<harness::CaseResult> last_failure;
  };

  /// What became of the workers that were to use a device.
  struct DeviceHealth {
    int failed_starts = 0;  ///< in a row
    std::string unusable;   ///< why no more are started; empty while some are
  };

  void identified(RequestEnd end);
  void begin(IdentityReply identity);
  void finish_what_is_ready();
  void prepare_round();
  void next_round();

  // From its turn to its result, an assignment goes from each of these to the next.
  void start_cases();
  void start(std::size_t index);
  void find_worker(std::size_t index);
  void start_workers();
  void start_worker(std::size_t index);
  void prepared(std::size_t index, PooledWorker& worker, RequestEnd end);
  void send(std::size_t index, PooledWorker& worker);
  void attempt_ended(std::size_t index, PooledWorker& worker, RequestEnd end);
  void end_attempt(std::size_t index, harness::CaseResult result);
  [[nodiscard]] bool is_tried_again(std::size_t index, const harness::CaseResult& result) const;
  void finish_case(std::size_t index, harness::CaseResult result);
  void finish_entry(std::size_t entry, harness::CaseResult result);

  void start_failed(std::size_t index, const RequestEnd& end);
  void drop(std::size_t index);
  void worker_gone();
  void retire_unneeded_workers();
  void finish_run_when_done();
  void wait_for_order();
  void interrupt(int signal);

  [[nodiscard]] bool needs_fresh_worker(std::size_t index) const;
  [[nodiscard]] const harness::Case& case_of(std::size_t index) const {
    return *assignments_[index].planned->test_case;
  }
  [[nodiscard]] std::chrono::milliseconds limit_of(std::size_t index) const;
  /// By which the driver knows its devices.
  [[nodiscard]] std::vector<telemetry::GpuId> gpus_of(const Assignment& assignment) const;
  [[nodiscard]] std::string why_unusable(std::size_t index) const;
  [[nodiscard]] std::vector<Load> loads() const;
  /// What is assigned in this round.
  [[nodiscard]] std::vector<harness::SelectedCase> selected() const;
  [[nodiscard]] bool has_next_round() const { return next_repetition_ < plan_.repeat && !plan_.cases.empty(); }
  /// The assignment's place in the round's selection, where what is ready comes first.
  [[nodiscard]] std::size_t entry_of(std::size_t index) const { return first_entry_ + index; }

  const Plan& plan_;
  const golden::GoldenSet& goldens_;
  const Options& options_;
  RunLedger ledger_;
  boost::asio::io_context context_{1};
  SignalGuard signal_guard_;
  boost::asio::posix::stream_descriptor order_;  ///< to end the run
  WorkerPool pool_;
  IdentityReply identity_;
  RepeatingTimer heartbeat_;
  int jobs_ = 1;  ///< side by side on one device; known, as is all that follows, when the devices are
  int repetitions_a_round_ = 1;
  int next_repetition_ = 0;  ///< the first that is in no round yet
  bool round_is_due_ = false;
  std::vector<PlannedCase> planned_;  ///< this round's, as are those that follow
  std::vector<Assignment> assignments_;
  std::vector<Progress> progress_;
  std::size_t first_entry_ = 0;
  std::vector<DeviceHealth> health_;  ///< by device
  std::optional<Schedule> schedule_;
  std::optional<DeviceClock> clock_;
  Clock::time_point started_ = Clock::now();
  std::uint64_t sequence_ = 0;
  std::vector<std::size_t> held_back_;      ///< exclusive cases that wait for workers to leave
  std::deque<std::size_t> without_worker_;  ///< cases that wait for a worker to be started
  std::size_t starting_ = 0;                ///< workers being started
  std::size_t max_starting_ = 1;
  int signal_ = 0;
  bool stopping_ = false;
  bool over_ = false;
};

}  // namespace gpucheck::runner
