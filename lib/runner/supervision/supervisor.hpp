#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "golden/golden.hpp"
#include "runner/plan/assignment.hpp"
#include "runner/plan/expectations.hpp"
#include "runner/plan/options.hpp"
#include "runner/plan/plan.hpp"
#include "runner/plan/schedule.hpp"
#include "runner/process/repeating_timer.hpp"
#include "runner/process/signals.hpp"
#include "runner/supervision/device_health.hpp"
#include "runner/supervision/run_ledger.hpp"
#include "runner/supervision/task.hpp"
#include "runner/supervision/time_budget.hpp"
#include "runner/worker/device_clock.hpp"
#include "runner/worker/worker_pool.hpp"

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

  void identified(RequestEnd end);
  void begin(IdentityReply identity);
  void finish_what_is_ready();
  /// Takes over what a run that is resumed has finished.
  void finish_what_was_done();
  void prepare_round();
  /// Gives cases what limits files expect of their device.
  void apply_expectations();
  void next_round();

  // From its turn to its result, a task goes from each of these to the next.
  void start_cases();
  void start(Task& task);
  void find_worker(Task& task);
  void start_workers();
  void start_worker(Task& task);
  void prepared(Task& task, PooledWorker& worker, RequestEnd end);
  void send(Task& task, PooledWorker& worker);
  void attempt_ended(Task& task, PooledWorker& worker, RequestEnd end);
  void end_attempt(Task& task, harness::CaseResult result);
  void settle(Task& task, harness::CaseResult result);
  [[nodiscard]] bool is_tried_again(const Task& task, const harness::CaseResult& result) const;
  void finish_entry(std::size_t entry, harness::CaseResult result);

  void start_failed(Task& task, const RequestEnd& end);
  void drop(Task& task);
  void worker_gone();
  void retire_unneeded_workers();
  void finish_run_when_done();
  /// Whether anything is.
  bool remeasure_slow_devices();
  void end_remeasurement(Task& task, harness::CaseResult result);
  void wait_for_order();
  void interrupt(int signal);

  // What there is no time for.
  void watch_deadline();
  void time_is_up();
  void leave_out_waiting();
  void worker_has_left();
  [[nodiscard]] bool is_on_cuda() const {
    return !identity_.devices.empty() && identity_.devices.front().kind == "cuda";
  }
  [[nodiscard]] bool fits(const Task& task) const;
  [[nodiscard]] harness::CaseResult left_out(const Task& task);

  [[nodiscard]] bool needs_fresh_worker(const Task& task) const { return task.needs_fresh_worker(options_.isolation); }
  /// By which the driver knows its devices.
  [[nodiscard]] std::vector<telemetry::GpuId> gpus_of(const Assignment& assignment) const;
  [[nodiscard]] std::vector<Load> loads() const;
  /// What is assigned in this round.
  [[nodiscard]] std::vector<harness::SelectedCase> selected() const;
  [[nodiscard]] bool has_next_round() const { return next_repetition_ < plan_.repeat && !plan_.cases.empty(); }
  /// The task's place in the round's selection, where what is ready comes first.
  [[nodiscard]] std::size_t entry_of(const Task& task) const { return first_entry_ + task.index(); }

  const Plan& plan_;
  const golden::GoldenSet& goldens_;
  const Options& options_;
  TimeBudget budget_;
  RunLedger ledger_;
  boost::asio::io_context context_{1};
  SignalGuard signal_guard_;
  boost::asio::posix::stream_descriptor order_;  ///< to end the run
  WorkerPool pool_;
  IdentityReply identity_;
  RepeatingTimer heartbeat_;
  boost::asio::steady_timer deadline_timer_;  ///< for the end of the cases
  int jobs_ = 1;  ///< side by side on one device; known, as is all that follows, when the devices are
  int repetitions_a_round_ = 1;
  int next_repetition_ = 0;  ///< the first that is in no round yet
  bool round_is_due_ = false;
  std::vector<PlannedCase> planned_;  ///< this round's, as are those that follow
  std::optional<Expectations> expectations_;
  std::deque<PlannedCase> planned_for_device_;  ///< of which a device's own expectations are part
  std::set<std::size_t> done_before_;           ///< tasks of the first round that a run which is resumed has finished
  std::vector<Task> tasks_;
  std::size_t first_entry_ = 0;
  DeviceHealth health_;
  std::optional<Schedule> schedule_;
  std::optional<DeviceClock> clock_;
  Clock::time_point started_ = Clock::now();
  std::uint64_t sequence_ = 0;
  std::vector<Task*> held_back_;      ///< exclusive cases that wait for workers to leave
  std::deque<Task*> without_worker_;  ///< cases that wait for a worker to be started
  std::size_t starting_ = 0;          ///< workers being started
  std::size_t max_starting_ = 1;
  int signal_ = 0;
  bool stopping_ = false;
  bool is_out_of_time_ = false;
  bool leaves_out_ = false;        ///< it stops for that, and for nothing else
  bool has_sent_any_ = false;      ///< of this round
  bool has_left_out_any_ = false;  ///< likewise: there was no time for it
  std::string no_answer_;          ///< why no device is known, in a run that goes on without; empty when they are
  bool over_ = false;
};

}  // namespace gpucheck::runner
