#include "harness/device_verdicts.hpp"

#include <algorithm>
#include <array>
#include <variant>

namespace gpucheck::harness {
namespace {

std::set<int> suspects_of(const CaseResult& result) {
  const auto found = std::ranges::find(result.observations, "suspects", &Observation::key);
  if (found == result.observations.end()) return {};
  const auto* const ordinals = std::get_if<std::vector<std::int64_t>>(&found->value);
  return ordinals == nullptr ? std::set<int>() : std::set<int>(ordinals->begin(), ordinals->end());
}

std::set<int> suspected(std::span<const int> indexes, const std::set<int>& suspects,
                        std::span<const DeviceIdentity> devices) {
  std::set<int> found;
  for (const DeviceIdentity& device : devices) {
    if (std::ranges::count(indexes, device.index) > 0 && suspects.contains(device.ordinal)) found.insert(device.index);
  }
  return found;
}

/// Of the cases that are named; how often each was to be repeated, only the run's own count knows.
int unfinished_on(int device, const RunFinished& end) {
  return static_cast<int>(std::ranges::count_if(end.not_run, [device](const SelectedCase& selected) {
    return std::ranges::count(selected.devices, device) > 0;
  }));
}

Verdict verdict_on(const DeviceVerdict& device, const RunFinished& end) {
  if (!device.failed.empty()) return Verdict::failed;
  const bool lacks_unnamed = end.counts.not_run > std::ssize(end.not_run);
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
  for (const int device : result.devices) {
    Record& record = records_[device];
    record.counts.add(result);
    if (result.outcome != Outcome::error) continue;
    record.charges.unjudged.insert(result.name);
    for (const FailureKind* kind : failures_of(result)) record.charges.kinds.insert(kind);
  }
  if (!is_failure(result.outcome) || result.waiver) return;
  Failure& failure = failures_[{result.name, result.devices}];
  failure.suspects.merge(suspects_of(result));
  failure.by_speed_alone = failure.by_speed_alone && failed_by_speed_alone(result);
  for (const FailureKind* kind : failures_of(result)) failure.kinds.insert(kind);
}

std::set<int> DeviceVerdicts::answering(const Place& place, const Failure& failure,
                                        std::span<const DeviceIdentity> devices) const {
  if (std::set<int> own = suspected(place.devices, failure.suspects, devices); !own.empty()) return own;
  std::set<int> suspects;
  for (const auto& [_, other] : failures_) {
    if (!other.by_speed_alone || failure.by_speed_alone) suspects.insert(other.suspects.begin(), other.suspects.end());
  }
  const std::set<int> found = suspected(place.devices, suspects, devices);
  return found.empty() ? std::set<int>(place.devices.begin(), place.devices.end()) : found;
}

void DeviceVerdicts::charge(std::map<int, Record>& records, std::span<const DeviceIdentity> devices) const {
  for (const auto& [place, failure] : failures_) {
    const std::set<int> answer = answering(place, failure, devices);
    for (const int device : place.devices) {
      Charges& charges = records[device].charges;
      (answer.contains(device) ? charges.failed : charges.failed_by_others).insert(place.name);
      if (answer.contains(device)) charges.kinds.insert(failure.kinds.begin(), failure.kinds.end());
    }
  }
}

std::vector<DeviceVerdict> DeviceVerdicts::of(std::span<const DeviceIdentity> devices, const RunFinished& end) const {
  std::map<int, Record> records = records_;
  charge(records, devices);
  std::vector<DeviceVerdict> verdicts;
  for (const DeviceIdentity& device : devices) {
    const auto& [counts, charges] = records[device.index];
    DeviceVerdict& one = verdicts.emplace_back(DeviceVerdict{.device = device.index,
                                                             .counts = counts,
                                                             .failed = listed(charges.failed),
                                                             .unjudged = listed(charges.unjudged),
                                                             .failed_by_others = listed(charges.failed_by_others),
                                                             .failures = most_severe_first(charges.kinds)});
    one.counts.not_run = unfinished_on(device.index, end);
    one.verdict = verdict_on(one, end);
  }
  return verdicts;
}

}  // namespace gpucheck::harness
