#pragma once

#include <string>

#include "golden/golden.hpp"
#include "harness/result/result.hpp"
#include "runner/plan/plan.hpp"
#include "runner/worker/worker_process.hpp"

namespace gpucheck::runner {

/// The verdict on one attempt at a case. A completed case passes only when there is a
/// golden file for it, every expectation in it was met, nothing else was seen and no
/// class-wide rule was broken.
/// @param limit the deadline it ran under, for the text of a hang.
harness::CaseResult judge(const PlannedCase& planned, RequestEnd end, std::chrono::milliseconds limit,
                          const golden::GoldenSet& goldens, const golden::Conditions& conditions);

/// A result for a case that could not be run at all.
harness::CaseResult unjudged(const PlannedCase& planned, std::string reason);

/// Says which limit of the machine an error's words speak of, or what kept the devices from being used, where they do
/// and nothing is said yet.
void explain_error(harness::CaseResult& result);

}  // namespace gpucheck::runner
