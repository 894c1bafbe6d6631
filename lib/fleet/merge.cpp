#include "fleet/merge.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text/sanitize.hpp"

namespace gpucheck::fleet {
namespace {

using harness::ExitCode;

std::string uuids_of(const harness::RunStarted& start, const harness::SelectedCase& selected) {
  std::vector<std::string_view> uuids;
  for (const harness::DeviceIdentity& device : start.devices) {
    if (std::ranges::find(selected.devices, device.index) != selected.devices.end()) uuids.push_back(device.uuid);
  }
  return fmt::format("{}", fmt::join(uuids, " and "));
}

/// A case that two runs judged on the same devices has two verdicts, and nobody can say which one counts.
void check_judged_once(const std::vector<RunRecord>& runs) {
  std::map<std::tuple<std::string, std::string, std::string>, const RunRecord*> seen;
  for (const RunRecord& run : runs) {
    const harness::RunStarted& start = run.start;
    for (const harness::SelectedCase& selected : start.selected) {
      const std::string devices = uuids_of(start, selected);
      const auto [first, is_new] = seen.try_emplace({start.host_name, devices, selected.name}, &run);
      if (is_new || first->second == &run) continue;
      throw UsageError(
          fmt::format("{} and {} both hold {} on {}, {}: make reports of them one at a time, or leave one out",
                      first->second->file, run.file, selected.name, start.host_name, devices));
    }
  }
}

/// "cuda0-1": the devices as the run's driver counts them.
std::string numbers_of(const RunRecord& run) {
  std::string text;
  for (const harness::DeviceIdentity& one : run.start.devices) {
    text += text.empty() ? one.kind : "-";
    text += fmt::format("{}", one.ordinal);
  }
  return text;
}

/// What a device is whatever is visible: its UUID, else its PCI address without the dot that parts names.
std::string identities_of(const RunRecord& run) {
  std::vector<std::string> texts;
  for (const harness::DeviceIdentity& one : run.start.devices) {
    texts.push_back(one.uuid.empty() ? one.pci_bus_id : one.uuid);
    std::ranges::replace(texts.back(), '.', '-');
  }
  return fmt::format("{}", fmt::join(texts, "_"));
}

std::vector<std::string> labels_of(const std::vector<RunRecord>& runs) {
  std::map<std::string, std::set<std::pair<std::string, std::string>>> devices_of;
  for (const RunRecord& run : runs) devices_of[run.start.host_name].insert({numbers_of(run), identities_of(run)});
  std::vector<std::string> labels;
  for (const RunRecord& run : runs) {
    const auto& devices = devices_of[run.start.host_name];
    std::set<std::string> numbers;
    for (const auto& [number, _] : devices) numbers.insert(number);
    std::string label = run.start.host_name;
    if (devices.size() > 1) label += "." + numbers_of(run);
    if (numbers.size() < devices.size()) label += "." + identities_of(run);
    labels.push_back(one_line(label));
  }
  return labels;
}

/// Among several, a run of nothing but skips has shown nothing, whatever it exited with.
ExitCode verdict_on(const RunRecord& run) {
  if (harness::is_only_skips(run.end.counts)) return ExitCode::not_judged;
  const int code = exit_code_of(run.end);
  if (code == 1) return ExitCode::failed;
  return code == 0 ? ExitCode::passed : ExitCode::not_judged;
}

/// The verdict on each run: one with a GPU that differs from those of other runs has failed.
std::vector<ExitCode> verdicts_on(const std::vector<RunRecord>& runs, const AcrossRuns& across) {
  std::vector<ExitCode> verdicts;
  for (const RunRecord& run : runs) verdicts.push_back(verdict_on(run));
  for (const harness::Comparison& comparison : across.comparisons) {
    for (const harness::ComparedValue& one : comparison.values) {
      const std::size_t run = across.subjects.at(static_cast<std::size_t>(one.device)).run;
      if (one.verdict == "fail" && !one.waiver) verdicts.at(run) = ExitCode::failed;
    }
  }
  return verdicts;
}

ExitCode verdict_on(const std::vector<ExitCode>& runs) {
  ExitCode verdict = ExitCode::passed;
  for (const ExitCode one : runs) {
    if (one == ExitCode::failed) return one;
    if (one != ExitCode::passed) verdict = one;
  }
  return verdict;
}

}  // namespace

Merged merge(std::vector<RunRecord> runs, const Waivers& waivers) {
  check_judged_once(runs);
  Merged merged{.runs = std::move(runs), .labels = {}, .across = {}, .verdicts = {}};
  merged.labels = labels_of(merged.runs);
  merged.across = compare_runs(merged.runs, waivers);
  merged.verdicts = verdicts_on(merged.runs, merged.across);
  merged.verdict = verdict_on(merged.verdicts);
  return merged;
}

int exit_code_of(const harness::RunFinished& end) noexcept {
  return end.interrupted_by_signal != 0 ? static_cast<int>(ExitCode::not_judged) : end.exit_code;
}

}  // namespace gpucheck::fleet
