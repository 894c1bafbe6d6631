#pragma once

#include <vector>

#include "golden/golden.hpp"
#include "harness/result/result.hpp"

namespace gpucheck::golden {

/// With the kind of a broken rule of its own, where it names none.
harness::Mismatch coded(harness::Mismatch rule);

/// What follows from what a case observed that reached its end: fills in outcome, reason, mismatches, warnings and
/// measurements. It passes only when there is a golden file for it, every expectation in it was met, nothing else was
/// seen, no rule was broken, and every measured value could be judged. Where the golden file cannot be used, the
/// outcome stays as it is, with the reason.
/// @param broken_rules those that no observation shows
void judge_completed(harness::CaseResult& result, std::vector<harness::Mismatch> broken_rules, const GoldenSet& goldens,
                     const Conditions& conditions);

}  // namespace gpucheck::golden
