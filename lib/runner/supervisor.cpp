#include "runner/supervisor.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "harness/failure_kinds.hpp"
#include "harness/idle_gate.hpp"
#include "runner/judge.hpp"
#include "runner/rerun.hpp"
#include "runner/start_answers.hpp"
#include "runner/trace_path.hpp"

namespace gpucheck::runner {
namespace {

using harness::CaseResult;
using harness::Outcome;
using std::chrono::milliseconds;

/// The CUDA driver makes contexts one at a time on a node (0.25 s each on an H100): a
/// second worker may load its libraries meanwhile, more would only wait for each other,
/// and those that come first would come later.
constexpr std::size_t max_starting_on_cuda = 2;
/// Repetitions run in rounds, each planned when the last one has ended, of as many as come
/// to about this many results: what a run holds, and the time to choose what starts next,
/// do not grow with the repetitions, and devices seldom wait for the last of a round.
constexpr std::size_t results_a_round = 1000;
/// A device on which as many workers in a row cannot be started is not tried again.
constexpr int max_failed_starts = 2;

int core_count() { return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1); }

bool is_on_cuda(const IdentityReply& identity) {
  return !identity.devices.empty() && identity.devices.front().kind == "cuda";
}

/// Cases side by side on one device.
int job_count(int asked, const IdentityReply& identity) {
  constexpr int max_jobs = 8;
  // More contexts cost more of the driver's time, see above, than they save.
  // Measured on an H100: 3.8 s with 2, 5.5 s with 8.
  constexpr int max_jobs_on_cuda = 2;
  if (asked > 0) return asked;
  return std::min(core_count(), is_on_cuda(identity) ? max_jobs_on_cuda : max_jobs);
}

/// On all of them: none has to wait for another, however few cores there are.
int job_count_in_all(int asked, const IdentityReply& identity) {
  if (asked > 0) return Schedule::no_limit;
  return std::max(core_count(), static_cast<int>(identity.devices.size()));
}

bool is_bad(Outcome outcome) { return outcome != Outcome::pass && outcome != Outcome::skip; }

/// A retry that could not be judged says nothing about the failure before it.
bool takes_nothing_back(const CaseResult& retry, const CaseResult& failure) {
  return retry.outcome == Outcome::skip || (retry.outcome == Outcome::error && failure.outcome != Outcome::error);
}

harness::SelectedCase selected_case(const Assignment& assignment) {
  return {.name = assignment.planned->test_case->name,
          .devices = assignment.devices,
          .repetition = assignment.planned->repetition};
}

double milliseconds_between(DeviceClock::Clock::time_point start, DeviceClock::Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - start).count();
}

}  // namespace

Supervisor::Supervisor(const Plan& plan, const golden::GoldenSet& goldens, const Options& options,
                       std::span<harness::EventSink* const> sinks)
    : plan_(plan),
      goldens_(goldens),
      options_(options),
      ledger_(options, sinks),
      order_(context_),
      pool_(context_, options.program, [this] { worker_gone(); }),
      heartbeat_(context_, options.heartbeat, [this] { ledger_.beat(); }) {
  wait_for_order();
}

RunSummary Supervisor::run() {
  // It makes no context, and goes on to serve the first device.
  PooledWorker& first = pool_.start({0});
  first.process.request(IdentifyRequest{.device = options_.settings.device, .seed = options_.settings.seed},
                        options_.start_limit, [this](RequestEnd end) { identified(std::move(end)); });
  context_.run();
  return ledger_.take_summary();
}

void Supervisor::identified(RequestEnd end) {
  begin(signal_ == 0 ? identity_from(std::move(end), options_) : IdentityReply{});
}

void Supervisor::begin(IdentityReply identity) {
  identity_ = std::move(identity);
  health_.resize(identity_.devices.size());
  for (std::size_t i = 0; i < health_.size(); ++i) health_[i].unusable = identity_.devices[i].problem;
  max_starting_ = is_on_cuda(identity_) ? max_starting_on_cuda : std::numeric_limits<std::size_t>::max();

  std::vector<int> all(identity_.devices.size());
  std::iota(all.begin(), all.end(), 0);
  clock_.emplace(all.size(), started_);
  clock_->starting(all, 1, started_);
  clock_->starting(all, -1, Clock::now());
  if (!all.empty()) clock_->process_started({all.data(), 1});

  jobs_ = job_count(options_.jobs, identity_);
  const std::size_t results = assign(plan_.cases, identity_, options_.every_device).size();
  repetitions_a_round_ =
      static_cast<int>(std::max<std::size_t>(results_a_round / std::max<std::size_t>(results, 1), 1));
  prepare_round();
  std::vector<harness::SelectedCase> first;
  for (const CaseResult& result : plan_.ready) first.push_back(harness::selected_case(result));
  first_entry_ = first.size();
  std::ranges::move(selected(), std::back_inserter(first));
  ledger_.begin(std::move(first), plan_.ready.size() + results * static_cast<std::size_t>(plan_.repeat),
                identity_.devices, jobs_);
  heartbeat_.start();
  finish_what_is_ready();
  start_cases();
}

void Supervisor::finish_what_is_ready() {
  for (std::size_t i = 0; i < plan_.ready.size() && !stopping_; ++i) {
    ledger_.start(i, 1);
    finish_entry(i, plan_.ready[i]);
  }
}

void Supervisor::prepare_round() {
  planned_.clear();
  for (int i = 0; i < repetitions_a_round_ && has_next_round(); ++i) {
    std::ranges::move(plan_.repetition(next_repetition_++), std::back_inserter(planned_));
  }
  assignments_ = assign(planned_, identity_, options_.every_device);
  progress_.assign(assignments_.size(), {});
  schedule_.emplace(loads(), jobs_, job_count_in_all(options_.jobs, identity_));
}

void Supervisor::next_round() {
  round_is_due_ = false;
  if (!stopping_) {
    prepare_round();
    first_entry_ = 0;
    ledger_.next_round(selected());
  }
  start_cases();
}

std::vector<harness::SelectedCase> Supervisor::selected() const {
  std::vector<harness::SelectedCase> selected;
  for (const Assignment& assignment : assignments_) selected.push_back(selected_case(assignment));
  return selected;
}

std::vector<Load> Supervisor::loads() const {
  std::vector<Load> loads;
  for (const Assignment& assignment : assignments_) {
    Load& load = loads.emplace_back();
    load.devices = assignment.devices;
    if (!assignment.unmet.empty()) continue;
    const harness::Needs& needs = assignment.planned->test_case->needs;
    load.exclusive = needs.exclusive;
    load.host_link = needs.host_link;
    for (const int device : assignment.devices) {
      const std::uint64_t total = identity_.devices[static_cast<std::size_t>(device)].total_memory_bytes;
      const double share =
          static_cast<double>(needs.memory_bytes) / static_cast<double>(std::max<std::uint64_t>(total, 1));
      load.memory_share = std::max({load.memory_share, needs.memory_fraction, share});
    }
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
  retire_unneeded_workers();
  finish_run_when_done();
}

bool Supervisor::needs_fresh_worker(std::size_t index) const {
  return options_.isolation == Isolation::process || case_of(index).needs.own_process;
}

/// Waiting for idle GPUs is no part of a case, and must not look like a hang of it.
milliseconds Supervisor::limit_of(std::size_t index) const {
  const harness::Case& test_case = case_of(index);
  const auto devices = static_cast<int>(assignments_[index].devices.size());
  const milliseconds waiting = test_case.needs.idle ? devices * harness::IdleLimits{}.patience : milliseconds(0);
  return options_.timeout.value_or(test_case.deadline) + waiting;
}

std::string Supervisor::why_unusable(std::size_t index) const {
  if (case_of(index).needs.devices == 0) return {};
  for (const int device : assignments_[index].devices) {
    const std::string& reason = health_[static_cast<std::size_t>(device)].unusable;
    if (!reason.empty()) return fmt::format("device {} cannot be used: {}", device, reason);
  }
  return {};
}

std::vector<telemetry::GpuId> Supervisor::gpus_of(const Assignment& assignment) const {
  std::vector<telemetry::GpuId> gpus;
  for (const int device : assignment.devices) {
    const harness::DeviceIdentity& identity = identity_.devices.at(static_cast<std::size_t>(device));
    gpus.push_back({.uuid = identity.uuid, .pci_address = identity.pci_bus_id});
  }
  return gpus;
}

void Supervisor::start(std::size_t index) {
  const Assignment& assignment = assignments_[index];
  ledger_.start(entry_of(index), schedule_->running());
  if (!assignment.unmet.empty()) {
    CaseResult skipped = unjudged(*assignment.planned, assignment.unmet);
    skipped.outcome = Outcome::skip;
    return end_attempt(index, std::move(skipped));
  }
  if (std::string reason = why_unusable(index); !reason.empty()) {
    return end_attempt(index, unjudged(*assignment.planned, std::move(reason)));
  }
  const PooledWorker* kept = needs_fresh_worker(index) ? nullptr : pool_.idle_on(assignment.devices);
  if (case_of(index).needs.exclusive && !pool_.make_room_on(assignment.devices, kept)) {
    held_back_.push_back(index);
    return;
  }
  find_worker(index);
}

void Supervisor::find_worker(std::size_t index) {
  const std::vector<int>& devices = assignments_[index].devices;
  PooledWorker* warm = needs_fresh_worker(index) ? nullptr : pool_.idle_on(devices);
  const bool opens_no_device = case_of(index).needs.devices == 0;
  if (warm != nullptr && (warm->prepared || opens_no_device)) return send(index, *warm);
  if (!needs_fresh_worker(index) && !opens_no_device) {
    clock_->starting(devices, 1, Clock::now());
    without_worker_.push_back(index);
    return start_workers();
  }
  // One that is to be fresh makes its contexts itself: what happens then may be its subject.
  try {
    PooledWorker& fresh = pool_.start(devices);
    clock_->process_started(devices);
    send(index, fresh);
  } catch (const Error& error) {
    end_attempt(index, unjudged(*assignments_[index].planned, error.what()));
  }
}

void Supervisor::start_workers() {
  while (!without_worker_.empty() && (stopping_ || starting_ < max_starting_)) {
    const std::size_t index = without_worker_.front();
    without_worker_.pop_front();
    if (stopping_) {
      clock_->starting(assignments_[index].devices, -1, Clock::now());
      drop(index);
    } else {
      start_worker(index);
    }
  }
}

void Supervisor::start_worker(std::size_t index) {
  const Assignment& assignment = assignments_[index];
  PooledWorker* worker = pool_.idle_on(assignment.devices);
  if (worker != nullptr && worker->prepared) {  // it has become idle meanwhile
    clock_->starting(assignment.devices, -1, Clock::now());
    return send(index, *worker);
  }
  try {
    if (worker == nullptr) {
      worker = &pool_.start(assignment.devices);
      clock_->process_started(assignment.devices);
    }
    ++starting_;
    worker->process.request(PrepareRequest{.device = assignment.device_name, .gpus = gpus_of(assignment)},
                            options_.start_limit,
                            [this, index, worker](RequestEnd end) { prepared(index, *worker, std::move(end)); });
  } catch (const Error& error) {
    clock_->starting(assignment.devices, -1, Clock::now());
    end_attempt(index, unjudged(*assignment.planned, error.what()));
  }
}

void Supervisor::prepared(std::size_t index, PooledWorker& worker, RequestEnd end) {
  --starting_;
  const std::vector<int>& devices = assignments_[index].devices;
  clock_->starting(devices, -1, Clock::now());
  worker.prepared = end.reply && std::holds_alternative<PreparedReply>(*end.reply);
  if (stopping_) {
    drop(index);
  } else if (worker.prepared) {
    for (const int device : devices) health_[static_cast<std::size_t>(device)].failed_starts = 0;
    send(index, worker);
  } else {
    worker.process.retire();
    start_failed(index, end);
  }
  start_workers();
  start_cases();
}

/// The case could not be judged. A device that makes each worker wait is not waited for
/// again, so that the others' results are not late.
void Supervisor::start_failed(std::size_t index, const RequestEnd& end) {
  const Assignment& assignment = assignments_[index];
  const std::string reason = why_not_prepared(end, options_.start_limit);
  for (const int device : assignment.devices) {
    DeviceHealth& health = health_[static_cast<std::size_t>(device)];
    const bool hopeless = end.kind == RequestEnd::Kind::deadline || ++health.failed_starts >= max_failed_starts;
    if (hopeless && assignment.devices.size() == 1) health.unusable = reason;
  }
  CaseResult result = unjudged(
      *assignment.planned, fmt::format("device {} cannot be used: {}", fmt::join(assignment.devices, " or "), reason));
  result.error_tail = end.error_tail;
  result.output_tail = end.output_tail;
  end_attempt(index, std::move(result));
}

void Supervisor::send(std::size_t index, PooledWorker& worker) {
  const Assignment& assignment = assignments_[index];
  RunRequest request{.sequence = ++sequence_,
                     .case_name = assignment.planned->test_case->name,
                     .settings = assignment.planned->settings,
                     .gpus = gpus_of(assignment)};
  request.settings.device = assignment.device_name;
  const auto earlier = static_cast<int>(progress_[index].earlier_attempts.size());
  request.trace_path = trace_path(options_.trace_folder, assignment, earlier + 1);
  clock_->running(assignment.devices, 1, Clock::now());
  worker.process.request(request, limit_of(index),
                         [this, index, &worker](RequestEnd end) { attempt_ended(index, worker, std::move(end)); });
}

/// Half done: neither a result nor a failure.
void Supervisor::drop(std::size_t index) { schedule_->finished(index); }

void Supervisor::attempt_ended(std::size_t index, PooledWorker& worker, RequestEnd end) {
  const Assignment& assignment = assignments_[index];
  clock_->running(assignment.devices, -1, Clock::now());
  if (needs_fresh_worker(index)) clock_->own_process(assignment.devices, end.elapsed_ms);
  if (signal_ != 0) {
    drop(index);
    return finish_run_when_done();
  }
  const auto* finished = end.reply ? std::get_if<FinishedReply>(&*end.reply) : nullptr;
  const bool contaminated = finished == nullptr || finished->execution.contaminated;
  const golden::Conditions conditions{
      .device_kind = identity_.devices.front().kind,
      .allocator = std::string(runtime::kind_name(options_.settings.allocator)),
      .limits = &goldens_.limits(),
      .device = assignment.devices.empty() ? nullptr
                                           : &identity_.devices[static_cast<std::size_t>(assignment.devices.front())]};
  CaseResult result = judge(*assignment.planned, std::move(end), limit_of(index), goldens_, conditions);
  // What a fault did to the process, a dropped free for example, or whatever made a case fail, no rule can see.
  const bool doubtful = contaminated || is_bad(result.outcome) || !assignment.planned->settings.fault.empty();
  if (doubtful || needs_fresh_worker(index)) worker.process.retire();
  end_attempt(index, std::move(result));
  start_workers();
  start_cases();
}

bool Supervisor::is_tried_again(std::size_t index, const CaseResult& result) const {
  if (stopping_ || !is_bad(result.outcome)) return false;
  const bool measured_again =
      assignments_[index].planned->settings.fault.empty() && harness::failed_by_speed_alone(result);
  const int tries = std::max(options_.retries, measured_again ? options_.remeasure : 0);
  return std::ssize(progress_[index].earlier_attempts) < tries;
}

/// The case is over, or tried again.
void Supervisor::end_attempt(std::size_t index, CaseResult result) {
  Progress& progress = progress_[index];
  if (is_tried_again(index, result)) {
    progress.earlier_attempts.push_back(
        {.outcome = result.outcome, .reason = result.reason, .duration_ms = result.duration_ms});
    progress.last_failure = std::move(result);
    return schedule_->again(index);
  }
  if (progress.last_failure && takes_nothing_back(result, *progress.last_failure)) {
    progress.earlier_attempts.pop_back();
    const std::string later = fmt::format("{}: {}", harness::to_text(result.outcome), result.reason);
    result = std::move(*progress.last_failure);
    result.reason += fmt::format(" (tried again: {})", later);
  }
  schedule_->finished(index);
  finish_case(index, std::move(result));
}

void Supervisor::finish_case(std::size_t index, CaseResult result) {
  const Assignment& assignment = assignments_[index];
  Progress& progress = progress_[index];
  result.devices = assignment.devices;
  for (harness::GpuTelemetry& gpu : result.telemetry) {
    gpu.device = assignment.devices.at(static_cast<std::size_t>(gpu.device));
  }
  result.earlier_attempts = std::move(progress.earlier_attempts);
  result.flaky = result.outcome == Outcome::pass && !result.earlier_attempts.empty();
  result.rerun_command = rerun_command(*assignment.planned, options_, assignment.rerun_device);
  finish_entry(entry_of(index), std::move(result));
}

void Supervisor::finish_entry(std::size_t entry, CaseResult result) {
  ledger_.finish(entry, std::move(result));
  stopping_ = stopping_ || (options_.fail_fast && ledger_.has_failure());
}

// -- workers -----------------------------------------------------------------------------

void Supervisor::worker_gone() {
  if (held_back_.empty()) return;
  for (const std::size_t index : std::exchange(held_back_, {})) stopping_ ? drop(index) : start(index);
  start_cases();
}

/// They leave while others are still busy, not after.
void Supervisor::retire_unneeded_workers() {
  const auto needs = [this](int device) {
    return [this, device](std::size_t index) { return std::ranges::count(assignments_[index].devices, device) > 0; };
  };
  pool_.retire_idle([&](int device) {
    return !stopping_ &&
           (has_next_round() || schedule_->is_wanted(device) || std::ranges::any_of(held_back_, needs(device)) ||
            std::ranges::any_of(without_worker_, needs(device)));
  });
}

// -- ends --------------------------------------------------------------------------------

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

void Supervisor::finish_run_when_done() {
  const bool done = schedule_->running() == 0 && (stopping_ || schedule_->waiting().empty());
  if (!done || over_) return;
  if (!stopping_ && has_next_round()) {
    // Not at once: between two rounds a signal is heard, also where no case waits for anything.
    if (!std::exchange(round_is_due_, true)) boost::asio::post(context_, [this] { next_round(); });
    return;
  }
  over_ = true;
  order_.cancel();
  heartbeat_.stop();
  pool_.retire_idle([](int) { return false; });
  const Clock::time_point now = Clock::now();
  ledger_.end(signal_, milliseconds_between(started_, now), clock_->times(now));
}

}  // namespace gpucheck::runner
