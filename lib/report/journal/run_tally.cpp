#include "report/journal/run_tally.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "base/error.hpp"
#include "base/text/sanitize.hpp"
#include "fleet/waivers.hpp"
#include "harness/result/failure_kinds.hpp"
#include "report/journal/result_check.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseFinished;
using harness::CaseStarted;
using harness::ExitCode;
using harness::RunFinished;
using harness::RunStarted;
using harness::SelectedCase;

void check_device(const harness::DeviceIdentity& device, std::size_t place) {
  if (device.index < 0 || static_cast<std::size_t>(device.index) != place) {
    throw Error(fmt::format("its device {} says that it is device {}", place, device.index));
  }
  for (const int number : {device.ordinal, device.multiprocessor_count, device.compute_capability_major,
                           device.compute_capability_minor, device.memory_bus_bits, device.host_link_generation,
                           device.host_link_lanes, device.peer_links, device.peer_link_mbps}) {
    if (number < 0) throw Error(fmt::format("its device {} has a negative number", place));
  }
}

void check_selected(const SelectedCase& selected, const RunStarted& start) {
  const auto is_known = [&](int index) { return index >= 0 && index < std::ssize(start.devices); };
  if (selected.repetition < 0) throw Error(fmt::format("the case \"{}\" has a negative repetition", selected.name));
  if (!std::ranges::all_of(selected.devices, is_known)) {
    throw Error(fmt::format("the case \"{}\" is on a device that the run does not have", selected.name));
  }
}

std::vector<SelectedCase> sorted(std::vector<SelectedCase> cases) {
  std::ranges::sort(cases);
  return cases;
}

void check_told(std::size_t told, std::size_t counted, std::string_view what) {
  if (told != counted)
    throw Error(fmt::format("it says {} {}, but there are {}: lines are missing", told, what, counted));
}

/// Nothing to run is a choice that the run has to name.
void check_selection(const RunStarted& event) {
  if (!event.selected.empty() && event.no_cases.empty()) return;
  const bool may_be_empty = event.no_cases == "pass" || event.no_cases == "warn" || event.no_cases == "fail";
  if (event.selected.empty() && may_be_empty && event.total == 0) return;
  throw Error(event.selected.empty() ? "the run selects no case" : "the run selects cases and says that it has none");
}

}  // namespace

void RunTally::add(const RunStarted& event) {
  if (start_) throw Error("a run starts here, but the journal is already that of another");
  check_selection(event);
  if (event.total < event.selected.size()) throw Error("it names more cases than it says will run");
  if (event.jobs < 1) throw Error("the run has less than one job on a device");
  if (event.max_skips < -1) throw Error("the number of skips allowed is negative");
  for (std::size_t i = 0; i < event.devices.size(); ++i) check_device(event.devices[i], i);
  for (const SelectedCase& selected : event.selected) check_selected(selected, event);
  start_ = event;
  peers_.begin(event);
  known_ = event.selected;
  for (const SelectedCase& selected : known_) {
    ++standings_[selected].unfinished;
    names_.insert(selected.name);
  }
}

void RunTally::add(const CaseStarted& event) {
  const SelectedCase started{.name = event.name, .devices = event.devices, .repetition = event.repetition};
  check_selected(started, *start_);
  check_told(event.finished, finished_, "cases have finished");
  check_told(event.total, start_->total, "results will come");
  // Nothing is known of later repetitions before, but which cases they are of.
  Standing& standing = standings_[started];
  const bool is_later = started.repetition > 0 && names_.contains(started.name) && known_.size() < start_->total;
  if (standing.unfinished == standing.running && is_later) {
    ++standing.unfinished;
    known_.push_back(started);
  }
  if (standing.unfinished == standing.running) {
    throw Error(fmt::format("the case \"{}\" starts here more often than it was selected", one_line(event.name, 80)));
  }
  ++standing.running;
  ++under_way_;
  if (event.running > under_way_) {
    throw Error(fmt::format("it says that {} cases are under way, but {} are", event.running, under_way_));
  }
}

void RunTally::add(const CaseFinished& event) {
  const SelectedCase finished = selected_case(event.result);
  const std::string name = one_line(finished.name, 80);
  check_selected(finished, *start_);
  const auto standing = standings_.find(finished);
  if (standing == standings_.end() || standing->second.unfinished == 0) {
    throw Error(
        fmt::format("the case \"{}\" finishes here more often than it was selected", one_line(finished.name, 80)));
  }
  if (standing->second.running == 0) {
    throw Error(fmt::format("the case \"{}\" finishes here, but did not start", one_line(finished.name, 80)));
  }
  check_result(event.result, *start_);
  ++finished_;
  check_told(event.finished, finished_, "cases have finished");
  check_told(event.total, start_->total, "results will come");
  --standing->second.unfinished;
  --standing->second.running;
  --under_way_;
  counts_.add(event.result);
  evidence_.add(event.result);
  lacked_time_ = lacked_time_ || harness::lacked_time(event.result);
  peers_.add(event.result);
  harness::CaseResult& judged = judged_.emplace_back();
  judged.name = event.result.name;
  judged.devices = event.result.devices;
  judged.outcome = event.result.outcome;
  judged.waiver = event.result.waiver;
}

void RunTally::add(RunFinished& event) {
  check_duration(event.duration_ms, "of the run");
  if (!event.incomplete.empty()) throw Error("the run's own end says that it is incomplete");
  check_counts(event);
  add_remeasured(event);
  event.comparisons = peers_.compare();
  check_waivers(event);
  check_device_times(event);
  check_exit_code(event);
}

/// Only what ran before is measured again.
void RunTally::add_remeasured(const RunFinished& event) {
  for (const harness::CaseResult& result : event.remeasured) {
    check_selected(selected_case(result), *start_);
    check_result(result, *start_);
    const bool ran = std::ranges::any_of(judged_, [&](const harness::CaseResult& first) {
      return first.name == result.name && first.devices == result.devices;
    });
    if (!ran) {
      throw Error(fmt::format("the case \"{}\" was measured again, but did not run before", one_line(result.name, 80)));
    }
    peers_.remeasure(result);
  }
}

void RunTally::check_counts(const RunFinished& event) const {
  if (event.counts != counts_at_end() || sorted(event.not_run) != sorted(not_run())) {
    throw Error("the run ends here with other numbers than follow from its cases: lines are missing");
  }
  if (sorted(event.running) != sorted(running())) {
    throw Error("the run ends here with other cases under way than have started and not finished");
  }
  if (event.unproven_devices != evidence_.missing(start_->devices)) {
    throw Error("the run ends here with other devices of which nothing is known than follow from its cases");
  }
}

/// Those that are named, applied once more to the results, have to give the same.
void RunTally::check_waivers(RunFinished& event) const {
  fleet::Waivers waivers;
  for (const harness::WaiverUse& use : event.waivers) waivers.push_back(use.waiver);
  fleet::WaiverBook book(waivers, start_->start_time);
  for (harness::CaseResult result : judged_) {
    const std::optional<harness::Waiver> told = result.waiver;
    book.apply(result, start_->devices);
    if (result.waiver != told) {
      throw Error(
          fmt::format("the run ends here with other waivers than \"{}\" was waived by", one_line(result.name, 80)));
    }
  }
  for (harness::Comparison& comparison : event.comparisons) book.apply(comparison, start_->devices);
  if (book.uses() != event.waivers)
    throw Error("the run ends here with waivers of another use than follows from its cases");
}

void RunTally::check_device_times(const RunFinished& event) const {
  if (!event.device_times.empty()) check_told(event.device_times.size(), start_->devices.size(), "devices have times");
  for (std::size_t i = 0; i < event.device_times.size(); ++i) {
    const harness::DeviceTime& time = event.device_times[i];
    if (time.device < 0 || static_cast<std::size_t>(time.device) != i || time.processes < 0) {
      throw Error("the run ends here with times of a device that are not in its order, or of a negative number");
    }
    for (const double ms : {time.running_ms, time.starting_ms, time.idle_ms, time.own_process_ms}) {
      check_duration(ms, "of a device");
    }
  }
}

void RunTally::check_exit_code(const RunFinished& event) const {
  const int signal = event.interrupted_by_signal;
  if (start_->selected.empty()) {
    if (signal != 0 || event.exit_code != static_cast<int>(harness::exit_code_of_no_cases(start_->no_cases))) {
      throw Error("the run of no cases ends here otherwise than it says that it means");
    }
    return;
  }
  if (signal < 0 || signal > greatest_signal) throw Error("the run ends here by a signal that does not exist");
  const harness::Counts counts =
      harness::without_lacking_repetitions(counts_at_end(), event.not_run.size(), event.may_lack_repetitions);
  const ExitCode by_cases = harness::with_unproven(verdict(counts), event.unproven_devices);
  const ExitCode expected =
      signal != 0 ? harness::interrupted_exit_code(signal) : harness::with_comparisons(by_cases, event.comparisons);
  // The exit code of a run of nothing but skips may have been chosen.
  const bool may_be_chosen = signal == 0 && harness::is_only_skips(counts) && !(event.exit_code == 0 && lacked_time_) &&
                             !harness::has_too_many_skips(counts, start_->max_skips) && event.exit_code >= 0 &&
                             event.exit_code <= greatest_exit_code;
  // A good run whose requested report could not be written ends with 3 (Reports::exit_code).
  const bool may_be_lost = expected == ExitCode::passed && event.exit_code == static_cast<int>(ExitCode::not_judged);
  if (may_be_chosen || may_be_lost || event.exit_code == static_cast<int>(expected)) return;
  throw Error(event.exit_code == 0 ? std::string("the run ends here as passed, but its cases do not make a pass")
                                   : fmt::format("the run ends here with exit code {}, but from its cases follows {}",
                                                 event.exit_code, static_cast<int>(expected)));
}

RunFinished RunTally::make_end(std::chrono::system_clock::time_point last, std::string why) const {
  RunFinished end;
  end.counts = counts_at_end();
  end.not_run = not_run();
  end.running = running();
  // The host's clock may have been set back meanwhile.
  end.duration_ms = std::max(std::chrono::duration<double, std::milli>(last - start_->start_time).count(), 0.0);
  end.incomplete = std::move(why);
  end.comparisons = peers_.compare();
  // A failure that was seen stays one; that nothing failed so far is not a pass.
  const ExitCode code = harness::with_comparisons(verdict(end.counts), end.comparisons);
  end.exit_code = static_cast<int>(code == ExitCode::passed ? ExitCode::not_judged : code);
  return end;
}

ExitCode RunTally::verdict(const harness::Counts& counts) const {
  return harness::with_lack_of_time(harness::exit_code(counts, start_->max_skips), lacked_time_);
}

harness::Counts RunTally::counts_at_end() const {
  harness::Counts counts = counts_;
  counts.not_run = static_cast<std::int64_t>(start_->total) - counts_.total();
  return counts;
}

std::vector<SelectedCase> RunTally::running() const {
  std::vector<SelectedCase> cases;
  for (const auto& [selected, standing] : standings_) {
    cases.insert(cases.end(), static_cast<std::size_t>(standing.running), selected);
  }
  return cases;
}

std::vector<SelectedCase> RunTally::not_run() const {
  auto left = standings_;
  std::vector<SelectedCase> unfinished;
  for (auto selected = known_.rbegin(); selected != known_.rend(); ++selected) {
    if (left[*selected].unfinished-- > 0) unfinished.push_back(*selected);
  }
  std::ranges::reverse(unfinished);
  return unfinished;
}

}  // namespace gpucheck::report
