#include "runner/supervisor.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <signal.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "runner/judge.hpp"
#include "runner/rerun.hpp"

namespace gpucheck::runner {
namespace {

using harness::CaseResult;
using harness::Outcome;
using std::chrono::milliseconds;

int job_count(int asked, const std::string& device_kind) {
  constexpr int most = 8;
  // The CUDA driver makes contexts one at a time (0.2 s each on an H100): more workers
  // would only wait for each other. Measured there: 3.8 s with 2, 5.5 s with 8.
  constexpr int most_on_cuda = 2;
  if (asked > 0) return asked;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores, 1, device_kind == "cuda" ? most_on_cuda : most);
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

bool is_bad(Outcome outcome) { return outcome != Outcome::pass && outcome != Outcome::skip; }

std::string last_lines(const std::string& text) {
  constexpr std::size_t most = 2000;
  return text.size() > most ? text.substr(text.size() - most) : text;
}

}  // namespace

IdentityReply identity_from(RequestEnd end, const std::string& device) {
  const std::string where = fmt::format("cannot use the device \"{}\": ", device);
  switch (end.kind) {
    case RequestEnd::Kind::replied:
      if (auto* identity = std::get_if<IdentityReply>(&*end.reply)) return std::move(*identity);
      if (auto* refusal = std::get_if<RefusalReply>(&*end.reply)) {
        if (refusal->usage) throw UsageError(refusal->text);
        throw EnvironmentError(where + refusal->text);
      }
      break;
    case RequestEnd::Kind::deadline:
      throw EnvironmentError(where + fmt::format("no answer within {} s", identify_limit.count() / 1000));
    case RequestEnd::Kind::closed_channel:
    case RequestEnd::Kind::broken_channel:
    case RequestEnd::Kind::died:
      break;
  }
  throw EnvironmentError(
      where + "the worker that asked it ended without an answer. Its last words: " + last_lines(end.error_tail));
}

Supervisor::Supervisor(std::span<const PlannedCase> plan, const golden::GoldenSet& goldens, const Options& options,
                       std::span<harness::EventSink* const> sinks)
    : plan_(plan),
      goldens_(goldens),
      options_(options),
      sinks_(sinks),
      interrupt_guard_(context_, [this](int signal) { interrupt(signal); }),
      progress_(plan.size()),
      heartbeat_(context_, options.heartbeat, [this] { beat(); }) {}

RunSummary Supervisor::run() {
  WorkerProcess& first = start_worker();
  first.request(IdentifyRequest{.device = options_.settings.device, .seed = options_.settings.seed}, identify_limit,
                [this](RequestEnd end) { identified(std::move(end)); });
  context_.run();
  return std::move(summary_);
}

void Supervisor::identified(RequestEnd end) {
  if (signal_ == 0) return begin(identity_from(std::move(end), options_.settings.device));
  IdentityReply nobody{.device = {}, .resolved = options_.settings.device};
  nobody.device.note = "interrupted before the device had answered";
  begin(std::move(nobody));
}

void Supervisor::begin(IdentityReply identity) {
  identity_ = std::move(identity);
  jobs_ = job_count(options_.jobs, identity_.device.kind);
  harness::RunStarted event{.version = options_.version,
                            .command_line = options_.command_line,
                            .start_time = std::chrono::system_clock::now(),
                            .host_name = host_name(),
                            .device = identity_.device,
                            .settings = options_.settings,
                            .jobs = jobs_,
                            .max_skips = options_.max_skips,
                            .selected = {}};
  for (const PlannedCase& planned : plan_) event.selected.push_back(planned.which->name);
  waivers_.emplace(options_.waivers, event.start_time);
  tell(event);
  heartbeat_.start();
  schedule_.emplace(loads(), jobs_);
  start_cases();
}

std::vector<Load> Supervisor::loads() const {
  const auto total = static_cast<double>(std::max<std::uint64_t>(identity_.device.total_memory_bytes, 1));
  std::vector<Load> loads;
  for (const PlannedCase& planned : plan_) {
    const harness::Needs& needs = planned.which->needs;
    const double bytes_share = static_cast<double>(needs.memory_bytes) / total;
    loads.push_back({.exclusive = needs.exclusive, .memory_share = std::max(needs.memory_fraction, bytes_share)});
  }
  return loads;
}

// -- cases -------------------------------------------------------------------------------

void Supervisor::start_cases() {
  while (!stopping_) {
    const auto index = schedule_->next();
    if (!index) break;
    start(*index);
  }
  // Workers that will not be needed leave while others are still busy, not after.
  if (stopping_ || schedule_->waiting().empty()) retire_idle_workers(nullptr);
  finish_run_when_done();
}

bool Supervisor::needs_fresh_worker(std::size_t index) const {
  return options_.isolation == Isolation::process || plan_[index].which->needs.own_process;
}

milliseconds Supervisor::limit_of(std::size_t index) const {
  return options_.timeout.value_or(plan_[index].which->deadline);
}

void Supervisor::start(std::size_t index) {
  const PlannedCase& planned = plan_[index];
  if (!std::exchange(progress_[index].announced, true)) {
    tell(harness::CaseStarted{.name = planned.which->name,
                              .repetition = planned.repetition,
                              .running = schedule_->running(),
                              .finished = summary_.results.size(),
                              .total = plan_.size()});
  }
  try {
    if (planned.which->needs.exclusive && !make_room_for(index)) {
      held_back_ = index;
      return;
    }
    WorkerProcess& worker = worker_for(index);
    RunRequest request{.sequence = ++sequence_, .case_name = planned.which->name, .settings = planned.settings};
    request.settings.device = identity_.resolved;
    worker.request(request, limit_of(index),
                   [this, index, &worker](RequestEnd end) { attempt_ended(index, worker, std::move(end)); });
  } catch (const Error& error) {
    settle(index, unjudged(planned, error.what()));
  }
}

void Supervisor::attempt_ended(std::size_t index, WorkerProcess& worker, RequestEnd end) {
  if (signal_ != 0) {  // half done: neither a result nor a failure
    schedule_->finished(index);
    return finish_run_when_done();
  }
  const auto* finished = end.reply ? std::get_if<FinishedReply>(&*end.reply) : nullptr;
  // What a fault did to the process, a dropped free for example, no rule can see.
  const bool clean = finished != nullptr && !finished->execution.contaminated && plan_[index].settings.fault.empty();
  dispose(worker, clean && !needs_fresh_worker(index));
  settle(index, judge(plan_[index], std::move(end), limit_of(index), goldens_,
                      {identity_.device.kind, std::string(runtime::kind_name(options_.settings.allocator))}));
  start_cases();
}

/// Ends an attempt: the case is over, or tried again.
void Supervisor::settle(std::size_t index, CaseResult result) {
  Progress& progress = progress_[index];
  const bool may_retry = std::ssize(progress.earlier_attempts) < options_.retries && !stopping_;
  if (is_bad(result.outcome) && may_retry) {
    progress.earlier_attempts.push_back(
        {.outcome = result.outcome, .reason = result.reason, .duration_ms = result.duration_ms});
    progress.last_failure = std::move(result);
    return schedule_->again(index);
  }
  if (result.outcome == Outcome::skip && progress.last_failure) {
    // A retry that could not be judged takes nothing back.
    progress.earlier_attempts.pop_back();
    result = std::move(*progress.last_failure);
  }
  schedule_->finished(index);
  finish_case(index, std::move(result));
}

void Supervisor::finish_case(std::size_t index, CaseResult result) {
  Progress& progress = progress_[index];
  progress.finished = true;
  result.earlier_attempts = std::move(progress.earlier_attempts);
  result.flaky = result.outcome == Outcome::pass && !result.earlier_attempts.empty();
  waivers_->apply(result, identity_.device.uuid);
  result.rerun_command = rerun_command(plan_[index], options_.settings.seed, identity_.resolved);
  summary_.counts.add(result);
  summary_.results.push_back(std::move(result));
  const CaseResult& last = summary_.results.back();
  stopping_ = stopping_ || (options_.fail_fast && is_bad(last.outcome) && !last.waiver);
  tell(harness::CaseFinished{
      .result = summary_.results.back(), .finished = summary_.results.size(), .total = plan_.size()});
}

// -- workers -----------------------------------------------------------------------------

WorkerProcess* Supervisor::idle_worker_for(std::size_t index) {
  const bool fresh = needs_fresh_worker(index);
  const auto warm = std::ranges::find_if(
      workers_, [fresh](const WorkerProcess& worker) { return worker.idle() && worker.fresh() == fresh; });
  return warm != workers_.end() ? &*warm : nullptr;
}

WorkerProcess& Supervisor::worker_for(std::size_t index) {
  std::erase_if(workers_, [](const WorkerProcess& worker) { return worker.gone(); });
  WorkerProcess* warm = idle_worker_for(index);
  return warm != nullptr ? *warm : start_worker();
}

WorkerProcess& Supervisor::start_worker() {
  return workers_.emplace_back(context_, options_.program, [this] { worker_gone(); });
}

/// Sends all workers away but the one that will run the case. False as long as one is
/// still leaving: until its process has ended it holds device memory.
bool Supervisor::make_room_for(std::size_t index) {
  const WorkerProcess* kept = idle_worker_for(index);
  retire_idle_workers(kept);
  return std::ranges::all_of(workers_, [kept](const WorkerProcess& other) { return &other == kept || other.gone(); });
}

void Supervisor::worker_gone() {
  if (!held_back_) return;
  const std::size_t index = *std::exchange(held_back_, std::nullopt);
  if (!stopping_) return start(index);
  schedule_->finished(index);
  finish_run_when_done();
}

void Supervisor::dispose(WorkerProcess& worker, bool keep) {
  if (keep || !worker.idle()) return;
  worker.retire();
}

void Supervisor::retire_idle_workers(const WorkerProcess* except) {
  for (WorkerProcess& worker : workers_) {
    if (&worker != except) worker.retire();
  }
}

void Supervisor::beat() {
  for (harness::EventSink* sink : sinks_) sink->on_heartbeat();
}

// -- ends --------------------------------------------------------------------------------

void Supervisor::interrupt(int signal) {
  signal_ = signal;
  stopping_ = true;
  for (WorkerProcess& worker : workers_) worker.kill();
}

void Supervisor::list_unfinished(harness::RunFinished& event) const {
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    if (progress_[i].finished) continue;
    event.not_run.push_back(plan_[i].which->name);
    if (progress_[i].announced) event.running.push_back(plan_[i].which->name);
  }
}

void Supervisor::finish_run_when_done() {
  const bool done = schedule_->running() == 0 && (stopping_ || schedule_->waiting().empty());
  if (!done || std::exchange(over_, true)) return;
  interrupt_guard_.release();
  heartbeat_.stop();
  retire_idle_workers(nullptr);
  harness::RunFinished event{.counts = {},
                             .duration_ms = std::chrono::duration<double, std::milli>(Clock::now() - started_).count(),
                             .not_run = {},
                             .running = {},
                             .incomplete = {},
                             .waivers = waivers_->uses(),
                             .interrupted_by_signal = signal_,
                             .exit_code = 0};
  list_unfinished(event);
  summary_.counts.not_run = static_cast<int>(event.not_run.size());
  summary_.exit_code = signal_ == SIGINT    ? harness::ExitCode::interrupted
                       : signal_ == SIGTERM ? harness::ExitCode::terminated
                                            : harness::exit_code(summary_.counts, options_.max_skips);
  event.counts = summary_.counts;
  event.exit_code = static_cast<int>(summary_.exit_code);
  tell(event);
}

}  // namespace gpucheck::runner
