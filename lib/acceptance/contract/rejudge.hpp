#pragma once

#include <optional>
#include <string>

#include "golden/golden.hpp"
#include "harness/run/events.hpp"

namespace gpucheck::acceptance {

/// Judges a result's observations again, by these golden files and limits, and compares with what the result says. What
/// a case did not observe cannot be judged again: that a rule was broken, how a process ended, what was skipped.
/// @return what differs, in one line; nothing where all agrees.
std::optional<std::string> difference(const harness::CaseResult& result, const harness::RunStarted& start,
                                      const golden::GoldenSet& goldens);

}  // namespace gpucheck::acceptance
