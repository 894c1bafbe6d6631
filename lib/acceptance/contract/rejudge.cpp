#include "acceptance/contract/rejudge.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <vector>

#include "golden/judgement.hpp"
#include "harness/result/outcome_text.hpp"
#include "runner/supervision/library_blame.hpp"

namespace gpucheck::acceptance {
namespace {

using harness::CaseResult;
using harness::Measurement;
using harness::Mismatch;
using harness::Outcome;

/// Members that are numbers may be NaN, which is what it is.
template <typename T>
bool same_member(const T& one, const T& other) {
  if constexpr (std::same_as<T, double>) {
    return one == other || (std::isnan(one) && std::isnan(other));
  } else {
    return one == other;
  }
}

template <typename T>
bool same(const T& one, const T& other) {
  bool all = true;
  harness::for_each_field(
      one, [&](const auto& row, const auto& member) { all = all && same_member(member, other.*row.member); });
  return all;
}

template <typename T>
bool same(const std::vector<T>& some, const std::vector<T>& others) {
  return std::ranges::equal(some, others, [](const T& one, const T& other) { return same(one, other); });
}

bool is_of_rule(const Mismatch& mismatch) { return mismatch.basis == "rule"; }

/// As the supervisor has it (Supervisor::attempt_ended).
golden::Conditions conditions_of(const CaseResult& result, const harness::RunStarted& start,
                                 const golden::GoldenSet& goldens) {
  const auto index = static_cast<std::size_t>(result.devices.empty() ? 0 : result.devices.front());
  return {.device_kind = start.devices.empty() ? std::string() : start.devices.front().kind,
          .allocator = std::string(runtime::kind_name(start.settings.allocator)),
          .limits = &goldens.limits(),
          .device = index < start.devices.size() ? &start.devices[index] : nullptr,
          .parameters = &result.parameters};
}

CaseResult judged_again(const CaseResult& result, const harness::RunStarted& start, const golden::GoldenSet& goldens) {
  std::vector<Mismatch> rules;
  std::ranges::copy_if(result.mismatches, std::back_inserter(rules), is_of_rule);
  CaseResult again;
  again.name = result.name;
  again.observations = result.observations;
  // Where a case has no golden file, a rule says so in the file's place.
  if (goldens.find(result.name) == nullptr && !rules.empty() && rules.front().key == "golden")
    rules.erase(rules.begin());
  golden::judge_completed(again, std::move(rules), goldens, conditions_of(result, start, goldens));
  runner::blame_library(again, start.settings);
  return again;
}

/// Whether the case reached its end, as far as the result says.
bool is_complete(const CaseResult& result) {
  if (result.outcome == Outcome::pass) return true;
  return result.outcome == Outcome::fail && !std::ranges::all_of(result.mismatches, is_of_rule);
}

std::string outcome_text(const CaseResult& result) {
  const std::string why = harness::mismatch_text(result.mismatches);
  if (!why.empty()) return fmt::format("{} ({})", harness::to_text(result.outcome), why);
  return fmt::format("{}{}{}", harness::to_text(result.outcome), result.reason.empty() ? "" : ": ", result.reason);
}

}  // namespace

std::optional<std::string> difference(const CaseResult& result, const harness::RunStarted& start,
                                      const golden::GoldenSet& goldens) {
  const bool complete = is_complete(result);
  const bool is_measured = !result.measurements.empty() || !result.warnings.empty();
  if (!complete && !is_measured) return std::nullopt;
  const CaseResult again = judged_again(result, start, goldens);
  if (complete && (again.outcome != result.outcome || !same(again.mismatches, result.mismatches))) {
    return fmt::format("it says {}; from what was observed follows {}", outcome_text(result), outcome_text(again));
  }
  if (!same(again.measurements, result.measurements)) return "its measured values have other limits or verdicts";
  if (!same(again.warnings, result.warnings)) return "its warnings are others";
  if (complete && !result.reason.starts_with(again.reason)) return "its reason is another";
  if (result.outcome == Outcome::pass && !result.reason.empty()) return "it is a pass with a reason against it";
  return std::nullopt;
}

}  // namespace gpucheck::acceptance
