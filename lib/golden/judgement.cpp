#include "golden/judgement.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "harness/result/failure_kinds.hpp"
#include "harness/result/outcome_text.hpp"

namespace gpucheck::golden {
namespace {

using harness::CaseResult;
using harness::Mismatch;
using harness::Outcome;

std::vector<Mismatch> compare_all(const CaseResult& result, const GoldenSet& goldens, const Conditions& conditions) {
  if (const Golden* golden = goldens.find(result.name)) return golden->compare(result.observations, conditions);
  return {coded({.key = "golden", .expected = "a golden file for this case", .seen = "nothing", .basis = "rule"})};
}

}  // namespace

Mismatch coded(Mismatch rule) {
  if (rule.failure.empty()) rule.failure = harness::find_failure_kind("rule_broken")->code;
  return rule;
}

void judge_completed(CaseResult& result, std::vector<Mismatch> broken_rules, const GoldenSet& goldens,
                     const Conditions& conditions) {
  try {
    result.mismatches = compare_all(result, goldens, conditions);
    if (const Golden* golden = goldens.find(result.name)) {
      result.measurements = golden->measure(result.observations, conditions);
      result.warnings = golden->warnings(result.observations, conditions);
    }
  } catch (const std::exception& error) {
    result.reason = fmt::format("the golden file cannot be used: {}", error.what());
    return;
  }
  for (Mismatch& rule : broken_rules) result.mismatches.push_back(coded(std::move(rule)));
  if (!result.mismatches.empty()) {
    result.outcome = Outcome::fail;
    result.reason = harness::mismatch_text(result.mismatches);
    return;
  }
  // What was measured and could not be judged is not a pass.
  const auto unknown = std::ranges::find(result.measurements, "unknown", &harness::Measurement::verdict);
  if (unknown != result.measurements.end()) {
    result.reason = fmt::format("{} cannot be judged: {}; --limits FILE gives a limit", unknown->key, unknown->source);
    return;
  }
  result.outcome = Outcome::pass;
}

}  // namespace gpucheck::golden
