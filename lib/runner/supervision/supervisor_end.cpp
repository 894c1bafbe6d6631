#include <boost/asio/post.hpp>
#include <fcntl.h>
#include <utility>

#include "base/error.hpp"
#include "harness/result/failure_kinds.hpp"
#include "runner/supervision/judge.hpp"
#include "runner/supervision/supervisor.hpp"

/// How a run ends: all is done, a signal, its deadline.
namespace gpucheck::runner {

using harness::CaseResult;

/// It may have come already, to what ran before in this process.
void Supervisor::wait_for_order() {
  const int descriptor = ::fcntl(signal_guard_.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) throw EnvironmentError("cannot listen to signals: no descriptor is left");
  order_.assign(descriptor);
  order_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (!error) interrupt(signal_guard_.order());
  });
  SignalGuard::begin_run();
}

void Supervisor::interrupt(int signal) {
  signal_ = signal;
  stopping_ = true;
  pool_.kill_all();
  if (schedule_) start_workers();
}

void Supervisor::watch_deadline() {
  if (!options_.deadline) return;
  deadline_timer_.expires_at(options_.deadline->end_of_cases());
  deadline_timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) time_is_up();
  });
}

/// Also of a run that is over, whose workers have not left.
void Supervisor::time_is_up() {
  is_out_of_time_ = true;
  leaves_out_ = !std::exchange(stopping_, true);
  pool_.kill_all(options_.deadline->time_to_die());
  if (!schedule_ || over_) return;
  start_workers();
  leave_out_waiting();
  finish_run_when_done();
}

void Supervisor::leave_out_waiting() {
  if (!leaves_out_) return;
  for (const std::size_t index : schedule_->drop_waiting()) {
    Task& task = tasks_[index];
    if (task.is_remeasured()) continue;  // its result is known
    ledger_.start(entry_of(task), schedule_->running());
    settle(task, left_out(task));
  }
}

/// Nothing else keeps the process from its end.
void Supervisor::worker_has_left() {
  worker_gone();
  if (over_ && pool_.is_empty()) deadline_timer_.cancel();
}

bool Supervisor::fits(const Task& task) const {
  return budget_.fits(task.planned(), !is_on_cuda(), task.limit(options_));
}

CaseResult Supervisor::left_out(const Task& task) {
  if (!no_answer_.empty()) return unjudged(task.planned(), no_answer_);
  has_left_out_any_ = true;
  return budget_.left_out(task.planned(), !is_on_cuda(), task.limit(options_));
}

/// A disturbance makes a GPU slower and never faster, so that only what is too slow is measured again, and not the
/// best. Several repetitions are measurements enough.
bool Supervisor::remeasure_slow_devices() {
  if (stopping_ || plan_.repeat > 1) return false;
  bool is_any = false;
  for (const auto& [name, device] : ledger_.too_slow()) {
    for (Task& task : tasks_) {
      const bool is_it = task.test_case().name == name && task.devices() == std::vector{device};
      if (!is_it || !task.may_be_remeasured(options_) || !fits(task)) continue;
      task.begin_remeasurement();
      is_any = true;
      schedule_->repeat(task.index());
    }
  }
  if (is_any) boost::asio::post(context_, [this] { start_cases(); });
  return is_any;
}

void Supervisor::end_remeasurement(Task& task, CaseResult result) {
  schedule_->finished(task.index());
  ledger_.remeasure(task.end_remeasurement(std::move(result), options_));
}

void Supervisor::finish_run_when_done() {
  // A round for none of whose cases there was time is the last one.
  const bool has_time = has_sent_any_ || !has_left_out_any_;
  const bool done = schedule_->running() == 0 && (stopping_ || schedule_->waiting().empty());
  if (!done || over_) return;
  if (!stopping_ && has_next_round() && has_time) {
    // Not at once: between two rounds a signal is heard, also where no case waits for anything.
    if (!std::exchange(round_is_due_, true)) boost::asio::post(context_, [this] { next_round(); });
    return;
  }
  if (remeasure_slow_devices()) return;
  over_ = true;
  order_.cancel();
  heartbeat_.stop();
  pool_.retire_idle([](int) { return false; });
  if (pool_.is_empty()) deadline_timer_.cancel();
  const Clock::time_point now = Clock::now();
  ledger_.end(signal_, std::chrono::duration<double, std::milli>(now - started_).count(), clock_->times(now));
}

}  // namespace gpucheck::runner
