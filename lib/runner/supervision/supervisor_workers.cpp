#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "base/error.hpp"
#include "harness/case/needs.hpp"
#include "runner/supervision/judge.hpp"
#include "runner/supervision/start_answers.hpp"
#include "runner/supervision/supervisor.hpp"

/// The workers of a run: which is started for a case, and when it leaves.
namespace gpucheck::runner {

using harness::CaseResult;

void Supervisor::find_worker(Task& task) {
  const std::vector<int>& devices = task.devices();
  PooledWorker* warm = needs_fresh_worker(task) ? nullptr : pool_.idle_on(devices);
  const bool needs_no_context = harness::needs_no_context(task.test_case());
  if (warm != nullptr && (warm->prepared || needs_no_context)) return send(task, *warm);
  if (!needs_fresh_worker(task) && !needs_no_context) {
    clock_->starting(devices, 1, Clock::now());
    without_worker_.push_back(&task);
    return start_workers();
  }
  // One that is to be fresh makes its contexts itself: what happens then may be its subject.
  try {
    PooledWorker& fresh = pool_.start(devices);
    clock_->process_started(devices);
    send(task, fresh);
  } catch (const Error& error) {
    end_attempt(task, unjudged(task.planned(), error.what()));
  }
}

void Supervisor::start_workers() {
  while (!without_worker_.empty() && (stopping_ || starting_ < max_starting_)) {
    Task& task = *without_worker_.front();
    without_worker_.pop_front();
    if (stopping_) {
      clock_->starting(task.devices(), -1, Clock::now());
      drop(task);
    } else {
      start_worker(task);
    }
  }
}

void Supervisor::start_worker(Task& task) {
  const Assignment& assignment = task.assignment();
  PooledWorker* worker = pool_.idle_on(assignment.devices);
  if (worker != nullptr && worker->prepared) {  // it has become idle meanwhile
    clock_->starting(assignment.devices, -1, Clock::now());
    return send(task, *worker);
  }
  try {
    if (worker == nullptr) {
      worker = &pool_.start(assignment.devices);
      clock_->process_started(assignment.devices);
    }
    ++starting_;
    worker->process.request(PrepareRequest{.device = assignment.device_name, .gpus = gpus_of(assignment)},
                            budget_.start_limit(),
                            [this, &task, worker](RequestEnd end) { prepared(task, *worker, std::move(end)); });
  } catch (const Error& error) {
    clock_->starting(assignment.devices, -1, Clock::now());
    end_attempt(task, unjudged(task.planned(), error.what()));
  }
}

void Supervisor::prepared(Task& task, PooledWorker& worker, RequestEnd end) {
  --starting_;
  const std::vector<int>& devices = task.devices();
  clock_->starting(devices, -1, Clock::now());
  worker.prepared = end.reply && std::holds_alternative<PreparedReply>(*end.reply);
  if (stopping_) {
    drop(task);
  } else if (worker.prepared) {
    health_.worker_started(devices);
    send(task, worker);
  } else {
    worker.process.retire();
    start_failed(task, end);
  }
  start_workers();
  start_cases();
}

/// The case could not be judged.
void Supervisor::start_failed(Task& task, const RequestEnd& end) {
  const std::string reason = why_not_prepared(end, budget_.start_limit());
  health_.worker_failed(task.devices(), end, reason);
  CaseResult result =
      unjudged(task.planned(), fmt::format("device {} cannot be used: {}", fmt::join(task.devices(), " or "), reason));
  result.error_tail = end.error_tail;
  result.output_tail = end.output_tail;
  end_attempt(task, std::move(result));
}

void Supervisor::worker_gone() {
  if (held_back_.empty()) return;
  for (Task* task : std::exchange(held_back_, {})) stopping_ ? drop(*task) : start(*task);
  start_cases();
}

/// They leave while others are still busy, not after.
void Supervisor::retire_unneeded_workers() {
  const auto needs = [](int device) {
    return [device](const Task* task) { return std::ranges::count(task->devices(), device) > 0; };
  };
  pool_.retire_idle([&](int device) {
    return !stopping_ &&
           (has_next_round() || schedule_->is_wanted(device) || std::ranges::any_of(held_back_, needs(device)) ||
            std::ranges::any_of(without_worker_, needs(device)));
  });
}

}  // namespace gpucheck::runner
