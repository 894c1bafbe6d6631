#include "fleet/peers.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>

#include "harness/result/failure_kinds.hpp"

namespace gpucheck::fleet {
namespace {

using harness::CaseResult;
using harness::Comparison;
using harness::DeviceIdentity;
using harness::Value;

/// Under load for long: what the driver said of it is compared, too.
constexpr std::string_view strain_case = "stress.burn";
constexpr std::string_view clock_key = "mean_clock_percent";
constexpr std::string_view temperature_key = "peak_temperature_celsius";
constexpr std::string_view digest_key = "digest";
/// Observed beside it: what has to be equal for digests to be comparable.
constexpr std::array<std::string_view, 3> digest_conditions = {"library", "algorithm", "size"};

/// What copies between host and device measure.
bool is_by_host(std::string_view case_name) {
  return case_name == "bandwidth.host_to_device" || case_name == "bandwidth.device_to_host" ||
         case_name == "bandwidth.both_directions";
}

/// GPUs that have this in common multiply alike.
std::string model_of(const DeviceIdentity& device) {
  return fmt::format("{} {} {}.{} {} {}", device.kind, device.name, device.compute_capability_major,
                     device.compute_capability_minor, device.multiprocessor_count,
                     device.total_memory_bytes / (std::uint64_t{1} << 30));
}

const Value* find(const CaseResult& result, std::string_view key) {
  const auto found = std::ranges::find(result.observations, key, &harness::Observation::key);
  return found == result.observations.end() ? nullptr : &found->value;
}

/// Each with its name's and value's lengths, so that no two sets of them read alike.
std::string text_of(const CaseResult& result, std::span<const std::string_view> observed) {
  std::string text;
  const auto add = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("{}:{}={}:{};", name.size(), name, value.size(), value);
  };
  for (const auto& [name, value] : result.parameters) {
    std::visit([&, &name = name](const auto& held) { add(name, fmt::format("{}", held)); }, value);
  }
  for (const std::string_view key : observed) {
    if (const Value* const value = find(result, key)) add(key, harness::to_text(*value));
  }
  return text;
}

/// Wrong values on one GPU, from its memory or its units.
bool gave_wrong_value(const CaseResult& result) {
  const auto is_wrong = [](const harness::FailureKind* kind) {
    return kind->severity == harness::Severity::critical &&
           (kind->category == harness::FailureCategory::memory || kind->category == harness::FailureCategory::compute);
  };
  return result.outcome == harness::Outcome::fail && std::ranges::any_of(harness::failures_of(result), is_wrong);
}

}  // namespace

void Peers::begin(const harness::RunStarted& start) {
  version_ = start.version;
  devices_.clear();
  for (const DeviceIdentity& device : start.devices) {
    const auto known = subject_by_uuid_.find({start.host_name, device.uuid});
    const bool is_known =
        !device.uuid.empty() && known != subject_by_uuid_.end() && subjects_[known->second].run != runs_;
    devices_.push_back(is_known ? known->second : subjects_.size());
    if (is_known) continue;
    subject_by_uuid_.try_emplace({start.host_name, device.uuid}, subjects_.size());
    subjects_.push_back({.run = runs_, .host = start.host_name, .device = device});
  }
  ++runs_;
}

bool Peers::compares_digest(const CaseResult& result) {
  if (result.devices.size() != 1) return false;
  return gave_wrong_value(result) || (result.outcome == harness::Outcome::pass && find(result, digest_key) != nullptr);
}

CaseResult Peers::digest_alone(const CaseResult& result) {
  CaseResult alone;
  alone.name = result.name;
  alone.devices = result.devices;
  alone.outcome = result.outcome;
  alone.parameters = result.parameters;
  alone.seed = result.seed;
  alone.mismatches = result.mismatches;  // by which it is known that a value was wrong
  const auto keep = [&](std::string_view key) {
    if (const Value* const value = find(result, key)) alone.observations.push_back({std::string(key), *value});
  };
  keep(digest_key);
  std::ranges::for_each(digest_conditions, keep);
  return alone;
}

std::size_t Peers::subject_of(const CaseResult& result) const {
  return devices_.at(static_cast<std::size_t>(result.devices.front()));
}

void Peers::add(const CaseResult& result) {
  if (result.devices.size() != 1) return;
  if (gave_wrong_value(result)) distrusted_.insert(subject_of(result));
  if (result.outcome != harness::Outcome::pass && !harness::failed_by_speed_alone(result)) return;
  const std::string host = subjects_[subject_of(result)].host;
  const std::string at_host = fmt::format("{}:{};{}", host.size(), host, text_of(result, {}));
  add_speeds(result, at_host);
  add_strain(result, at_host);
  add_digest(result, text_of(result, digest_conditions));
}

void Peers::remeasure(const CaseResult& result) {
  if (result.devices.size() != 1) return;
  const bool has_speed = result.outcome == harness::Outcome::pass || harness::failed_by_speed_alone(result);
  if (has_speed) {
    replaces_speeds_ = true;
    add(result);
    replaces_speeds_ = false;
    return;
  }
  if (gave_wrong_value(result)) distrusted_.insert(subject_of(result));
  const std::string end = fmt::format("{}: {}", harness::to_text(result.outcome), result.reason);
  for (auto& [group, samples] : groups_) {
    if (group.case_name == result.name) samples.group.unmeasured[subject_of(result)] = end;
  }
}

void Peers::add_sample(const CaseResult& result, PeerRule rule, const std::string& key, std::string conditions,
                       PeerSample sample) {
  const std::size_t subject = subject_of(result);
  Samples& samples = groups_[{.case_name = result.name,
                              .key = key,
                              .model = model_of(subjects_[subject].device),
                              .conditions = std::move(conditions)}];
  samples.group.rule = rule;
  std::vector<PeerSample>& own = samples.group.by_subject[subject];
  if (replaces_speeds_ && (rule == PeerRule::speed || rule == PeerRule::host_speed)) {
    for (PeerSample& before : std::exchange(own, {})) {
      samples.group.earlier[subject].push_back(std::move(before.value));
    }
  }
  own.push_back(std::move(sample));
  samples.runs.insert(runs_);
}

void Peers::add_speeds(const CaseResult& result, const std::string& conditions) {
  for (const harness::Measurement& measurement : result.measurements) {
    if (!measurement.fail_below) continue;
    const bool by_host = is_by_host(result.name);
    const double best = measurement.best.value_or(0);
    add_sample(result, by_host ? PeerRule::host_speed : PeerRule::speed, measurement.key, conditions,
               {.value = measurement.value, .unit = by_host && best > 0 ? best : 1});
  }
}

void Peers::add_strain(const CaseResult& result, const std::string& conditions) {
  if (result.name != strain_case) return;
  for (const auto& [key, rule] : {std::pair(clock_key, PeerRule::speed), {temperature_key, PeerRule::temperature}}) {
    const Value* const value = find(result, key);
    const bool is_number =
        value != nullptr && (std::holds_alternative<double>(*value) || std::holds_alternative<std::int64_t>(*value));
    if (is_number) add_sample(result, rule, std::string(key), conditions, {.value = *value});
  }
}

void Peers::add_digest(const CaseResult& result, const std::string& parameters) {
  const Value* const digest = find(result, digest_key);
  if (digest == nullptr || !std::holds_alternative<std::string>(*digest)) return;
  add_sample(result, PeerRule::digest, std::string(digest_key),
             fmt::format("{} {} {}", version_, result.seed, parameters), {.value = *digest});
}

/// As its run names it; by what it is where several runs have devices of one number.
std::string Peers::name_of(std::size_t subject) const {
  const Subject& one = subjects_[subject];
  if (runs_ == 1) return fmt::format("device {}", one.device.index);
  return fmt::format("{} {}", one.host, one.device.uuid.empty() ? one.device.pci_bus_id : one.device.uuid);
}

std::vector<Comparison> Peers::compare(std::size_t least_runs) const {
  std::vector<Comparison> comparisons;
  for (const auto& [group, samples] : groups_) {
    if (samples.group.by_subject.size() < 2 || samples.runs.size() < least_runs) continue;
    const std::size_t first = samples.group.by_subject.begin()->first;
    Comparison& comparison = comparisons.emplace_back();
    comparison.case_name = group.case_name;
    comparison.key = group.key;
    comparison.model = subjects_[first].device.name;
    judge_peers(comparison, samples.group, distrusted_, [this](std::size_t subject) { return name_of(subject); });
  }
  return comparisons;
}

std::vector<Comparison> Peers::compare() const { return compare(1); }

std::vector<Comparison> Peers::compare_runs() const { return compare(2); }

std::vector<Comparison> compare_peers(const harness::RunStarted& start, const std::vector<CaseResult>& results) {
  Peers peers;
  peers.begin(start);
  for (const CaseResult& result : results) peers.add(result);
  return peers.compare();
}

}  // namespace gpucheck::fleet
