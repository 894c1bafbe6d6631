#include "runner/supervision/run_ledger.hpp"

#include <algorithm>
#include <utility>

#include "harness/result/failure_kinds.hpp"

namespace gpucheck::runner {

using harness::Outcome;

RunLedger::RunLedger(const Options& options, std::span<harness::EventSink* const> sinks)
    : options_(options), sinks_(sinks), waivers_({}, {}) {}

void RunLedger::begin(std::vector<harness::SelectedCase> selected, std::size_t total,
                      std::vector<harness::DeviceIdentity> devices, int jobs,
                      std::vector<harness::SiteCase> site_cases) {
  devices_ = std::move(devices);
  total_ = total;
  for (const harness::SelectedCase& one : selected) entries_.push_back({.selected = one});
  const harness::RunStarted event{.version = options_.version,
                                  .command_line = options_.command_line,
                                  .start_time = std::chrono::system_clock::now(),
                                  .host_name = options_.host_name,
                                  .devices = devices_,
                                  .settings = options_.settings,
                                  .jobs = jobs,
                                  .max_skips = options_.max_skips,
                                  .selected = std::move(selected),
                                  .total = total,
                                  .no_cases = total == 0 ? options_.no_cases : "",
                                  .configuration = options_.configuration,
                                  .job = options_.job,
                                  .site_cases = std::move(site_cases),
                                  .golden_digest = options_.golden_digest};
  waivers_ = fleet::WaiverBook(options_.waivers, event.start_time);
  peers_.begin(event);
  tell(event);
}

void RunLedger::next_round(std::vector<harness::SelectedCase> selected) {
  is_first_round_ = false;
  entries_.clear();
  for (harness::SelectedCase& one : selected) entries_.push_back({.selected = std::move(one)});
}

void RunLedger::start(std::size_t entry, std::size_t running) {
  if (std::exchange(entries_[entry].started, true)) return;
  const harness::SelectedCase& selected = entries_[entry].selected;
  tell(harness::CaseStarted{.name = selected.name,
                            .repetition = selected.repetition,
                            .running = running,
                            .finished = summary_.results.size(),
                            .total = total_,
                            .devices = selected.devices});
}

void RunLedger::finish(std::size_t entry, harness::CaseResult result) {
  entries_[entry].finished = true;
  waivers_.apply(result, devices_);
  if (harness::is_failure(result.outcome) && !result.waiver)
    set_last_exit_code(static_cast<int>(harness::ExitCode::failed));
  summary_.counts.add(result);
  evidence_.add(result);
  peers_.add(result);
  lacked_time_ = lacked_time_ || harness::lacked_time(result);
  has_failure_ = has_failure_ || (result.outcome != Outcome::pass && result.outcome != Outcome::skip && !result.waiver);
  summary_.results.push_back(std::move(result));
  tell(harness::CaseFinished{.result = summary_.results.back(), .finished = summary_.results.size(), .total = total_});
}

void RunLedger::remeasure(harness::CaseResult result) {
  peers_.remeasure(result);
  remeasured_.push_back(std::move(result));
}

std::set<std::pair<std::string, int>> RunLedger::too_slow() {
  const std::string_view code = harness::find_failure_kind("slower_than_peers")->code;
  std::set<std::pair<std::string, int>> found;
  for (harness::Comparison& comparison : peers_.compare()) {
    if (comparison.failure != code) continue;
    waivers_.apply(comparison, devices_);
    for (const harness::ComparedValue& one : comparison.values) {
      if (one.verdict == "fail" && !one.waiver) found.emplace(comparison.case_name, one.device);
    }
  }
  return found;
}

void RunLedger::beat() {
  for (harness::EventSink* sink : sinks_) sink->on_heartbeat();
}

void RunLedger::list_unfinished(harness::RunFinished& event) const {
  for (const Entry& entry : entries_) {
    const bool is_known = is_first_round_ || entry.started;
    if (entry.finished || !is_known) continue;
    event.not_run.push_back(entry.selected);
    if (entry.started) event.running.push_back(entry.selected);
  }
}

void RunLedger::end(int signal, double duration_ms, std::vector<harness::DeviceTime> device_times) {
  std::vector<harness::Comparison> comparisons = peers_.compare();
  for (harness::Comparison& comparison : comparisons) waivers_.apply(comparison, devices_);
  harness::RunFinished event{.counts = {},
                             .duration_ms = duration_ms,
                             .not_run = {},
                             .running = {},
                             .incomplete = {},
                             .waivers = waivers_.uses(),
                             .may_lack_repetitions = options_.deadline_skips_ok && signal == 0,
                             .unproven_devices = evidence_.missing(devices_),
                             .comparisons = comparisons,
                             .remeasured = std::move(remeasured_),
                             .device_times = std::move(device_times),
                             .interrupted_by_signal = signal,
                             .exit_code = 0};
  list_unfinished(event);
  summary_.counts.not_run = static_cast<std::int64_t>(total_ - summary_.results.size());
  const harness::Counts judged =
      harness::without_lacking_repetitions(summary_.counts, event.not_run.size(), event.may_lack_repetitions);
  const harness::ExitCode code =
      harness::with_lack_of_time(harness::exit_code(judged, options_.max_skips, options_.skip_exit_code), lacked_time_);
  // The verdict on a run of nothing but skips is said already, and may have been chosen.
  const bool only_skips = harness::is_only_skips(judged);
  summary_.exit_code =
      signal != 0   ? harness::interrupted_exit_code(signal)
      : total_ == 0 ? harness::exit_code_of_no_cases(options_.no_cases)
      : only_skips  ? code
                   : harness::with_comparisons(harness::with_unproven(code, event.unproven_devices), event.comparisons);
  summary_.comparisons = std::move(comparisons);
  event.counts = summary_.counts;
  event.exit_code = static_cast<int>(summary_.exit_code);
  tell(event);
}

}  // namespace gpucheck::runner
