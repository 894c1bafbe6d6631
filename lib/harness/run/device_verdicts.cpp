#include "harness/run/device_verdicts.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "base/text/pci_address.hpp"
#include "telemetry/machine/machine.hpp"

namespace gpucheck::harness {
namespace {

using Names = std::set<std::string>;

/// A PCI address in one form; a device without one has a name that is nobody's.
std::string address(const std::string& pci_bus_id) { return normal_pci_address(pci_bus_id); }

/// Numbers or texts, whichever the case observes.
Names suspects_of(const CaseResult& result) {
  const auto found = std::ranges::find(result.observations, "suspects", &Observation::key);
  if (found == result.observations.end()) return {};
  Names names;
  if (const auto* const ordinals = std::get_if<std::vector<std::int64_t>>(&found->value)) {
    for (const std::int64_t ordinal : *ordinals) names.insert(std::to_string(ordinal));
  } else if (const auto* const texts = std::get_if<std::vector<std::string>>(&found->value)) {
    for (const std::string& text : *texts) names.insert(text.find('.') == std::string::npos ? text : address(text));
  }
  return names;
}

bool is_suspected(const DeviceIdentity& device, const Names& suspects) {
  return suspects.contains(std::to_string(device.ordinal)) || suspects.contains(device.uuid) ||
         suspects.contains(address(device.pci_bus_id));
}

/// Those of the devices with these indexes.
std::set<int> suspected(std::span<const int> indexes, const Names& suspects, std::span<const DeviceIdentity> devices) {
  std::set<int> found;
  for (const DeviceIdentity& device : devices) {
    if (std::ranges::count(indexes, device.index) > 0 && is_suspected(device, suspects)) found.insert(device.index);
  }
  return found;
}

/// Whether a case is about the device, or, with no device of its own, about the machine.
bool is_about(const SelectedCase& selected, int device) {
  return device == whole_machine ? selected.devices.empty() : std::ranges::count(selected.devices, device) > 0;
}

/// Counts the cases that are named; how often each was to be repeated, only the run's own count knows.
int unfinished_on(int device, const RunFinished& end) {
  return static_cast<int>(std::ranges::count_if(
      end.not_run, [device](const SelectedCase& selected) { return is_about(selected, device); }));
}

/// Names of the comparisons that the device fails by; their kinds are added to `kinds`.
std::vector<std::string> failed_comparisons(int device, const RunFinished& end, std::set<const FailureKind*>& kinds) {
  std::set<std::string> names;
  for (const Comparison& comparison : end.comparisons) {
    const bool fails = std::ranges::any_of(comparison.values, [device](const ComparedValue& one) {
      return one.device == device && one.verdict == "fail" && !one.waiver;
    });
    if (!fails) continue;
    names.insert(name_of(comparison));
    if (const FailureKind* const kind = find_failure_kind(comparison.failure)) kinds.insert(kind);
  }
  return {names.begin(), names.end()};
}

Verdict verdict_on(const DeviceVerdict& device, const RunFinished& end) {
  if (!device.failed.empty() || !device.failed_comparisons.empty()) return Verdict::failed;
  const bool lacks_unnamed = end.counts.not_run > std::ssize(end.not_run) && !end.may_lack_repetitions;
  const bool lacks_results = !device.unjudged.empty() || device.counts.not_run > 0 || lacks_unnamed;
  return device.counts.pass == 0 || lacks_results ? Verdict::not_judged : Verdict::passed;
}

std::vector<std::string> listed(const std::set<std::string>& names) { return {names.begin(), names.end()}; }

std::vector<const FailureKind*> most_severe_first(const std::set<const FailureKind*>& kinds) {
  std::vector<const FailureKind*> sorted(kinds.begin(), kinds.end());
  std::ranges::sort(sorted, {}, &FailureKind::code);
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &FailureKind::severity);
  return sorted;
}

}  // namespace

std::string_view to_text(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, 3> words{"passed", "failed", "not_judged"};
  return words[static_cast<std::size_t>(verdict)];
}

void DeviceVerdicts::add(const CaseResult& result) {
  const auto count = [&](int device) {
    Record& record = records_[device];
    record.counts.add(result);
    if (result.outcome != Outcome::error && !lacked_time(result)) return;
    record.charges.unjudged.insert(result.name);
    for (const FailureKind* kind : failures_of(result)) record.charges.kinds.insert(kind);
  };
  std::ranges::for_each(result.devices, count);
  for (const GpuTelemetry& telemetry : result.telemetry) {
    const FailureKind* const recovery = find_failure_kind(recovery_asked_for(telemetry));
    if (recovery != nullptr) records_[telemetry.device].recoveries.insert(recovery);
  }
  if (result.devices.empty()) count(whole_machine);
  if (!is_failure(result.outcome) || result.waiver) return;
  Failure& failure = failures_[{result.name, result.devices}];
  failure.suspects.merge(suspects_of(result));
  failure.by_speed_alone = failure.by_speed_alone && failed_by_speed_alone(result);
  for (const FailureKind* kind : failures_of(result)) failure.kinds.insert(kind);
}

std::set<int> DeviceVerdicts::answering(const Place& place, const Failure& failure,
                                        std::span<const DeviceIdentity> devices) const {
  if (place.devices.empty()) {
    std::vector<int> all;
    for (const DeviceIdentity& device : devices) all.push_back(device.index);
    const std::set<int> named = suspected(all, failure.suspects, devices);
    return named.empty() ? std::set<int>{whole_machine} : named;
  }
  if (std::set<int> own = suspected(place.devices, failure.suspects, devices); !own.empty()) return own;
  Names suspects;
  for (const auto& [_, other] : failures_) {
    if (!other.by_speed_alone || failure.by_speed_alone) suspects.insert(other.suspects.begin(), other.suspects.end());
  }
  const std::set<int> found = suspected(place.devices, suspects, devices);
  return found.empty() ? std::set<int>(place.devices.begin(), place.devices.end()) : found;
}

void DeviceVerdicts::charge(std::map<int, Record>& records, std::span<const DeviceIdentity> devices) const {
  for (const auto& [place, failure] : failures_) {
    const std::set<int> answer = answering(place, failure, devices);
    for (const int device : answer) {
      Charges& charges = records[device].charges;
      charges.failed.insert(place.name);
      charges.kinds.insert(failure.kinds.begin(), failure.kinds.end());
    }
    std::vector<int> others = place.devices;
    if (others.empty()) others = {whole_machine};
    std::erase_if(others, [&answer](int device) { return answer.contains(device); });
    for (const int device : others) records[device].charges.failed_by_others.insert(place.name);
  }
}

std::map<int, DeviceVerdicts::Record> DeviceVerdicts::charged(std::span<const DeviceIdentity> devices) const {
  std::map<int, Record> records = records_;
  charge(records, devices);
  return records;
}

DeviceVerdict DeviceVerdicts::verdict_of(int device, const Record& record, const RunFinished& end) {
  const auto& [counts, charges, recoveries] = record;
  std::set<const FailureKind*> kinds = charges.kinds;
  std::vector<std::string> differing = failed_comparisons(device, end, kinds);
  DeviceVerdict one{.device = device,
                    .counts = counts,
                    .failed = listed(charges.failed),
                    .unjudged = listed(charges.unjudged),
                    .failed_by_others = listed(charges.failed_by_others),
                    .failed_comparisons = std::move(differing),
                    .failures = most_severe_first(kinds),
                    .recovery = recoveries.empty() ? nullptr : most_severe_first(recoveries).front()};
  one.counts.not_run = unfinished_on(device, end);
  one.verdict = verdict_on(one, end);
  return one;
}

std::vector<DeviceVerdict> DeviceVerdicts::of(std::span<const DeviceIdentity> devices, const RunFinished& end) const {
  std::map<int, Record> records = charged(devices);
  std::vector<DeviceVerdict> verdicts;
  for (const DeviceIdentity& device : devices) {
    verdicts.push_back(verdict_of(device.index, records[device.index], end));
    // What only reads is not evidence of a device that cannot be used.
    Verdict& verdict = verdicts.back().verdict;
    if (!device.problem.empty() && verdict == Verdict::passed) verdict = Verdict::not_judged;
  }
  return verdicts;
}

std::optional<DeviceVerdict> DeviceVerdicts::of_machine(std::span<const DeviceIdentity> devices,
                                                        const RunFinished& end) const {
  std::map<int, Record> records = charged(devices);
  if (!records.contains(whole_machine) && unfinished_on(whole_machine, end) == 0) return {};
  return verdict_of(whole_machine, records[whole_machine], end);
}

}  // namespace gpucheck::harness
