#include "golden/compare.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "harness/result/failure_kinds.hpp"

namespace gpucheck::golden {
namespace {

using harness::Measurement;
using harness::Mismatch;
using harness::Observation;
using harness::Observations;
using harness::Value;

constexpr const char* not_observed = "nothing (key was not observed)";

std::string place(const Conditions& conditions) {
  return conditions.allocator == Conditions{}.allocator
             ? conditions.device_kind
             : fmt::format("{} with {}", conditions.device_kind, conditions.allocator);
}

// Only conditional alternatives can all fail to apply.
std::string expected_elsewhere(const Entry& entry, const Conditions& conditions) {
  std::vector<std::string> elsewhere;
  for (const Expectation& alternative : entry.alternatives) elsewhere.push_back(alternative.condition());
  return fmt::format("nothing on {} (key expected only {})", place(conditions), fmt::join(elsewhere, ", "));
}

/// ".bf16": what a key's name ends with whose limit depends on a parameter.
std::string parameter_suffix(const Limited& limited, const Conditions& conditions) {
  if (limited.parameter.empty() || conditions.parameters == nullptr) return {};
  const auto found = conditions.parameters->find(limited.parameter);
  if (found == conditions.parameters->end()) return {};
  return std::visit([](const auto& value) { return fmt::format(".{}", value); }, found->second);
}

/// What its limit makes of a value that has one; nothing where it has none, is not a number, or nothing is limited.
std::optional<Measurement> measurement_of(std::string_view case_name, const std::string& key,
                                          const Expectation& expectation, const Value& seen,
                                          const Conditions& conditions) {
  const std::optional<double> number = as_double(seen);
  const auto* const limited = std::get_if<Limited>(&expectation.matcher);
  if (limited == nullptr || !number || conditions.limits == nullptr) return {};
  const std::string limited_key = key + parameter_suffix(*limited, conditions);
  return conditions.limits->judge(fmt::format("{}.{}", case_name, limited_key), limited_key, *number,
                                  conditions.device);
}

/// A key that warns does so by its value; one that was not observed fails like any other.
bool only_warns(const Entry& entry, const Value* seen, const Conditions& conditions) {
  const Expectation* const expectation = entry.applicable(conditions);
  return expectation != nullptr && expectation->warns && seen != nullptr;
}

using Seen = std::map<std::string_view, const Value*>;

Seen first_values(const Observations& observations) {
  Seen seen;
  for (const Observation& observation : observations) seen.emplace(observation.key, &observation.value);
  return seen;
}

/// The differences of the keys that only warn, or of all others.
std::vector<Mismatch> differences(const FileContent& content, const Observations& observations,
                                  const Conditions& conditions, bool that_warn) {
  const Seen values = first_values(observations);
  std::vector<Mismatch> found;
  for (const Entry& entry : content.entries) {
    const auto value = values.find(entry.key);
    const Value* const seen = value == values.end() ? nullptr : value->second;
    if (only_warns(entry, seen, conditions) != that_warn) continue;
    if (auto mismatch = judge(content.case_name, entry, seen, conditions)) found.push_back(*std::move(mismatch));
  }
  return found;
}

std::string unnamed_failure_code() { return std::string(harness::find_failure_kind(harness::unnamed_failure)->code); }

// A second value of one key would otherwise hide behind the first.
void add_unexpected(const FileContent& content, const Observations& observations, std::vector<Mismatch>& mismatches) {
  std::set<std::string_view> expected;
  for (const Entry& entry : content.entries) expected.insert(entry.key);
  std::set<std::string_view> observed;
  for (const Observation& observation : observations) {
    const bool again = !observed.insert(observation.key).second;
    if (!again && expected.contains(observation.key)) continue;
    mismatches.push_back({.key = observation.key,
                          .expected = again ? "nothing (key was observed before)" : "nothing (key not expected)",
                          .seen = harness::to_text(observation.value),
                          .basis = {},
                          .failure = unnamed_failure_code()});
  }
}

}  // namespace

std::optional<Mismatch> judge(std::string_view case_name, const Entry& entry, const Value* seen,
                              const Conditions& conditions) {
  const std::string seen_text = seen != nullptr ? harness::to_text(*seen) : not_observed;
  if (const Expectation* expectation = entry.applicable(conditions)) {
    const bool accepted = seen != nullptr && accepts(expectation->matcher, *seen);
    if (accepted) {
      const auto measurement = measurement_of(case_name, entry.key, *expectation, *seen, conditions);
      if (!measurement || measurement->verdict != "fail") return std::nullopt;
      return Mismatch{entry.key, describe_limit(*measurement), seen_text, expectation->basis, expectation->failure};
    }
    return Mismatch{entry.key, describe(expectation->matcher), seen_text, expectation->basis, expectation->failure};
  }
  if (seen == nullptr) return std::nullopt;
  const Expectation& elsewhere = entry.alternatives.front();
  return Mismatch{entry.key, expected_elsewhere(entry, conditions), seen_text, elsewhere.basis, elsewhere.failure};
}

std::vector<Mismatch> warnings(const FileContent& content, const Observations& observations,
                               const Conditions& conditions) {
  return differences(content, observations, conditions, true);
}

std::vector<Measurement> measure(const FileContent& content, const Observations& observations,
                                 const Conditions& conditions) {
  std::vector<Measurement> measurements;
  for (const Entry& entry : content.entries) {
    const Expectation* const expectation = entry.applicable(conditions);
    const auto seen = std::ranges::find(observations, entry.key, &Observation::key);
    if (expectation == nullptr || seen == observations.end()) continue;
    auto measurement = measurement_of(content.case_name, entry.key, *expectation, seen->value, conditions);
    if (measurement) measurements.push_back(*std::move(measurement));
  }
  return measurements;
}

std::vector<std::string> judged_keys(const FileContent& content, const Conditions& conditions) {
  std::vector<std::string> keys;
  for (const Entry& entry : content.entries) {
    const Expectation* const expectation = entry.applicable(conditions);
    const bool can_differ = expectation != nullptr && !std::holds_alternative<Informational>(expectation->matcher);
    if (can_differ) keys.push_back(entry.key);
  }
  return keys;
}

std::vector<Mismatch> compare(const FileContent& content, const Observations& observations,
                              const Conditions& conditions) {
  std::vector<Mismatch> mismatches = differences(content, observations, conditions, false);
  add_unexpected(content, observations, mismatches);
  // Agreeing on nothing is not evidence.
  if (judged_keys(content, conditions).empty()) {
    mismatches.push_back({.key = "(golden file)",
                          .expected = fmt::format("at least one key that is judged on {}", place(conditions)),
                          .seen = "nothing to judge by",
                          .basis = {},
                          .failure = unnamed_failure_code()});
  }
  return mismatches;
}

}  // namespace gpucheck::golden
