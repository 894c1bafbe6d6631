#include "runner/run_ledger.hpp"

#include <array>
#include <unistd.h>
#include <utility>

namespace gpucheck::runner {
namespace {

using harness::Outcome;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

RunLedger::RunLedger(const Options& options, std::span<harness::EventSink* const> sinks)
    : options_(options), sinks_(sinks), waivers_({}, {}) {}

void RunLedger::begin(std::vector<harness::SelectedCase> selected, std::size_t total,
                      std::vector<harness::DeviceIdentity> devices, int jobs) {
  devices_ = std::move(devices);
  total_ = total;
  for (const harness::SelectedCase& one : selected) entries_.push_back({.selected = one});
  const harness::RunStarted event{.version = options_.version,
                                  .command_line = options_.command_line,
                                  .start_time = std::chrono::system_clock::now(),
                                  .host_name = host_name(),
                                  .devices = devices_,
                                  .settings = options_.settings,
                                  .jobs = jobs,
                                  .max_skips = options_.max_skips,
                                  .selected = std::move(selected),
                                  .total = total};
  waivers_ = fleet::WaiverBook(options_.waivers, event.start_time);
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
  summary_.counts.add(result);
  evidence_.add(result);
  has_failure_ = has_failure_ || (result.outcome != Outcome::pass && result.outcome != Outcome::skip && !result.waiver);
  summary_.results.push_back(std::move(result));
  tell(harness::CaseFinished{.result = summary_.results.back(), .finished = summary_.results.size(), .total = total_});
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
  harness::RunFinished event{.counts = {},
                             .duration_ms = duration_ms,
                             .not_run = {},
                             .running = {},
                             .incomplete = {},
                             .waivers = waivers_.uses(),
                             .unproven_devices = evidence_.missing(),
                             .device_times = std::move(device_times),
                             .interrupted_by_signal = signal,
                             .exit_code = 0};
  list_unfinished(event);
  summary_.counts.not_run = static_cast<std::int64_t>(total_ - summary_.results.size());
  const harness::ExitCode code = harness::exit_code(summary_.counts, options_.max_skips, options_.skip_exit_code);
  // What a run of nothing but skips comes to is said already, and may have been chosen.
  const bool only_skips = harness::is_only_skips(summary_.counts);
  summary_.exit_code = signal != 0  ? harness::interrupted_exit_code(signal)
                       : only_skips ? code
                                    : harness::with_unproven(code, event.unproven_devices);
  event.counts = summary_.counts;
  event.exit_code = static_cast<int>(summary_.exit_code);
  tell(event);
}

}  // namespace gpucheck::runner
