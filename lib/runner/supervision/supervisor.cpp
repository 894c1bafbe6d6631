#include "runner/supervision/supervisor.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <signal.h>
#include <thread>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "harness/case/needs.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/telemetry/idle_gate.hpp"
#include "runner/plan/rerun.hpp"
#include "runner/plan/trace_path.hpp"
#include "runner/supervision/judge.hpp"
#include "runner/supervision/start_answers.hpp"

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

int core_count() { return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1); }

/// A result is of a GPU: those of others cannot be gone on with.
void check_same_devices(const std::vector<harness::DeviceIdentity>& before,
                        const std::vector<harness::DeviceIdentity>& now) {
  const auto is_same = [](const harness::DeviceIdentity& one, const harness::DeviceIdentity& other) {
    return std::tie(one.kind, one.uuid, one.pci_bus_id, one.name, one.driver_version) ==
           std::tie(other.kind, other.uuid, other.pci_bus_id, other.name, other.driver_version);
  };
  if (std::ranges::equal(before, now, is_same)) return;
  throw EnvironmentError(
      "the run cannot be resumed: its devices or their driver are not those that its journal names; without --resume "
      "it "
      "begins anew");
}

/// On all of them: none has to wait for another, however few cores there are.
int job_count_in_all(int asked, const IdentityReply& identity) {
  if (asked > 0) return Schedule::no_limit;
  return std::max(core_count(), static_cast<int>(identity.devices.size()));
}

}  // namespace

Supervisor::Supervisor(const Plan& plan, const golden::GoldenSet& goldens, const Options& options,
                       std::span<harness::EventSink* const> sinks)
    : plan_(plan),
      goldens_(goldens),
      options_(options),
      budget_(options),
      ledger_(options, sinks),
      order_(context_),
      pool_(context_, options.program, [this] { worker_has_left(); }),
      heartbeat_(context_, options.heartbeat, [this] { ledger_.beat(); }),
      deadline_timer_(context_) {
  wait_for_order();
  watch_deadline();
}

RunSummary Supervisor::run() {
  // It makes no context, and goes on to serve the first device.
  PooledWorker& first = pool_.start({0});
  first.process.request(IdentifyRequest{.device = options_.settings.device, .seed = options_.settings.seed},
                        budget_.identify_limit(), [this](RequestEnd end) { identified(std::move(end)); });
  context_.run();
  return ledger_.take_summary();
}

void Supervisor::identified(RequestEnd end) {
  if (signal_ != 0) return begin({});
  // For simulated devices and others, whose driver does not hang. (start_answers knows what to say of CUDA's.)
  const std::string& device = options_.settings.device;
  const bool is_cuda = device == "auto" || device.starts_with("cuda");
  const bool is_late = is_out_of_time_ || (end.kind == RequestEnd::Kind::deadline && !is_cuda);
  if (options_.deadline && is_late) {
    no_answer_ = budget_.no_answer_text(end.elapsed_ms);
    return begin({});
  }
  begin(identity_from(std::move(end), options_, budget_.identify_limit()));
}

void Supervisor::begin(IdentityReply identity) {
  identity_ = std::move(identity);
  if (options_.resumed && !options_.resumed->devices.empty() && !identity_.devices.empty()) {
    check_same_devices(options_.resumed->devices, identity_.devices);
  }
  health_ = DeviceHealth(identity_.devices);
  expectations_.emplace(goldens_.limits(), options_.settings, identity_.devices);
  max_starting_ = is_on_cuda() ? max_starting_on_cuda : std::numeric_limits<std::size_t>::max();

  std::vector<int> all(identity_.devices.size());
  std::iota(all.begin(), all.end(), 0);
  clock_.emplace(all.size(), started_);
  clock_->starting(all, 1, started_);
  clock_->starting(all, -1, Clock::now());
  if (!all.empty()) clock_->process_started({all.data(), 1});

  jobs_ = options_.jobs > 0 ? options_.jobs : default_jobs(is_on_cuda());
  const std::size_t results = assign(plan_.cases, identity_, options_.every_device).size();
  repetitions_a_round_ =
      static_cast<int>(std::max<std::size_t>(results_a_round / std::max<std::size_t>(results, 1), 1));
  prepare_round();
  std::vector<harness::SelectedCase> first;
  for (const CaseResult& result : plan_.ready) first.push_back(harness::selected_case(result));
  first_entry_ = first.size();
  std::ranges::move(selected(), std::back_inserter(first));
  ledger_.begin(std::move(first), plan_.ready.size() + results * static_cast<std::size_t>(plan_.repeat),
                identity_.devices, jobs_, site_cases(plan_));
  heartbeat_.start();
  finish_what_is_ready();
  finish_what_was_done();
  leave_out_waiting();  // the devices may have taken all the time there is
  start_cases();
}

void Supervisor::finish_what_is_ready() {
  for (std::size_t i = 0; i < plan_.ready.size() && !stopping_; ++i) {
    ledger_.start(i, 1);
    finish_entry(i, plan_.ready[i]);
  }
}

void Supervisor::finish_what_was_done() {
  if (!options_.resumed) return;
  for (const Task& task : tasks_) {
    const auto found = options_.resumed->results.find(task.selected());
    if (found == options_.resumed->results.end() || stopping_) continue;
    done_before_.insert(task.index());
    ledger_.start(entry_of(task), 1);
    finish_entry(entry_of(task), found->second);
  }
}

void Supervisor::apply_expectations() {
  planned_for_device_.clear();
  for (Task& task : tasks_) {
    if (task.devices().size() != 1) continue;
    auto own = expectations_->applied_to(task.planned(), task.devices().front());
    if (own) task.replace_planned(planned_for_device_.emplace_back(*std::move(own)));
  }
}

void Supervisor::prepare_round() {
  planned_.clear();
  for (int i = 0; i < repetitions_a_round_ && has_next_round(); ++i) {
    std::ranges::move(plan_.repetition(next_repetition_++), std::back_inserter(planned_));
  }
  has_sent_any_ = has_left_out_any_ = false;
  tasks_.clear();
  for (Assignment& assignment : assign(planned_, identity_, options_.every_device)) {
    tasks_.emplace_back(std::move(assignment), tasks_.size());
  }
  apply_expectations();
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
  for (const Task& task : tasks_) selected.push_back(task.selected());
  return selected;
}

std::vector<Load> Supervisor::loads() const {
  std::vector<Load> loads;
  for (const Task& task : tasks_) {
    const Assignment& assignment = task.assignment();
    Load& load = loads.emplace_back();
    load.devices = assignment.devices;
    if (!assignment.unmet.empty()) continue;
    const harness::Needs& needs = task.test_case().needs;
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

void Supervisor::start_cases() {
  while (!stopping_) {
    const auto index = schedule_->next();
    if (!index) break;
    start(tasks_[*index]);
  }
  retire_unneeded_workers();
  finish_run_when_done();
}

std::vector<telemetry::GpuId> Supervisor::gpus_of(const Assignment& assignment) const {
  std::vector<telemetry::GpuId> gpus;
  for (const int device : assignment.devices) {
    const harness::DeviceIdentity& identity = identity_.devices.at(static_cast<std::size_t>(device));
    gpus.push_back({.uuid = identity.uuid, .pci_address = identity.pci_bus_id});
  }
  return gpus;
}

void Supervisor::start(Task& task) {
  if (done_before_.contains(task.index()) && !task.is_remeasured()) return schedule_->finished(task.index());
  const Assignment& assignment = task.assignment();
  ledger_.start(entry_of(task), schedule_->running());
  if (!no_answer_.empty()) return end_attempt(task, unjudged(task.planned(), no_answer_));
  if (!assignment.unmet.empty()) {
    CaseResult skipped = unjudged(task.planned(), assignment.unmet);
    skipped.outcome = Outcome::skip;
    return end_attempt(task, std::move(skipped));
  }
  if (std::string reason = health_.why_unusable(assignment); !reason.empty()) {
    return end_attempt(task, unjudged(task.planned(), std::move(reason)));
  }
  if (!fits(task)) return end_attempt(task, left_out(task));
  const PooledWorker* kept = needs_fresh_worker(task) ? nullptr : pool_.idle_on(assignment.devices);
  if (task.test_case().needs.exclusive && !pool_.make_room_on(assignment.devices, kept)) {
    held_back_.push_back(&task);
    return;
  }
  find_worker(task);
}

void Supervisor::send(Task& task, PooledWorker& worker) {
  if (!fits(task)) return end_attempt(task, left_out(task));  // the worker took its time
  const Assignment& assignment = task.assignment();
  has_sent_any_ = true;
  RunRequest request{.sequence = ++sequence_,
                     .case_name = task.test_case().name,
                     .settings = task.planned().settings,
                     .world = options_.world,
                     .gpus = gpus_of(assignment)};
  request.settings.device = assignment.device_name;
  request.trace_path = trace_path(options_.trace_folder, assignment, task.attempt());
  if (!std::exchange(worker.has_recording, true)) request.recording = options_.recording;
  request.silent_gpus = health_.silent_gpus();
  if (const auto& program = task.test_case().program) {
    request.program_folder = program->folder;
    request.program_digest = program->digest;
  }
  clock_->running(assignment.devices, 1, Clock::now());
  worker.process.request(request, task.limit(options_),
                         [this, &task, &worker](RequestEnd end) { attempt_ended(task, worker, std::move(end)); });
}

/// Half done: neither a result nor a failure.
void Supervisor::drop(Task& task) {
  if (leaves_out_ && signal_ == 0) return end_attempt(task, left_out(task));
  schedule_->finished(task.index());
}

void Supervisor::attempt_ended(Task& task, PooledWorker& worker, RequestEnd end) {
  const Assignment& assignment = task.assignment();
  clock_->running(assignment.devices, -1, Clock::now());
  if (needs_fresh_worker(task)) clock_->own_process(assignment.devices, end.elapsed_ms);
  if (signal_ != 0) {
    schedule_->finished(task.index());
    return finish_run_when_done();
  }
  const bool was_stopped =
      is_out_of_time_ && end.kind == RequestEnd::Kind::died && (end.abandoned || end.process.signal == SIGKILL);
  if (was_stopped) {
    end_attempt(task, budget_.stopped(task.planned(), std::move(end)));
    return finish_run_when_done();
  }
  const auto* finished = end.reply ? std::get_if<FinishedReply>(&*end.reply) : nullptr;
  const bool contaminated = finished == nullptr || finished->execution.contaminated;
  if (finished != nullptr && !finished->lost_trace.empty() && options_.on_lost_trace) {
    options_.on_lost_trace(finished->lost_trace);
  }
  const golden::Conditions conditions{
      .device_kind = identity_.devices.front().kind,
      .allocator = std::string(runtime::kind_name(options_.settings.allocator)),
      .limits = &goldens_.limits(),
      .device = assignment.devices.empty() ? nullptr
                                           : &identity_.devices[static_cast<std::size_t>(assignment.devices.front())]};
  CaseResult result = judge(task.planned(), std::move(end), task.limit(options_), goldens_, conditions);
  health_.note_silence(assignment, result);
  // What a fault did to the process, a dropped free for example, or whatever made a case fail, no rule can see.
  const bool doubtful = contaminated || is_bad(result.outcome) || !task.planned().settings.fault.empty();
  if (doubtful || needs_fresh_worker(task)) worker.process.retire();
  end_attempt(task, std::move(result));
  start_workers();
  start_cases();
}

bool Supervisor::is_tried_again(const Task& task, const CaseResult& result) const {
  return !stopping_ && task.may_try_again(result, options_) && fits(task);
}

/// The case is over, or tried again.
void Supervisor::end_attempt(Task& task, CaseResult result) {
  if (task.is_remeasured()) return end_remeasurement(task, std::move(result));
  if (is_tried_again(task, result)) {
    task.keep(std::move(result));
    return schedule_->again(task.index());
  }
  schedule_->finished(task.index());
  settle(task, std::move(result));
}

void Supervisor::settle(Task& task, CaseResult result) {
  finish_entry(entry_of(task), task.settle(std::move(result), options_));
}

void Supervisor::finish_entry(std::size_t entry, CaseResult result) {
  ledger_.finish(entry, std::move(result));
  stopping_ = stopping_ || (options_.fail_fast && ledger_.has_failure());
}

}  // namespace gpucheck::runner
