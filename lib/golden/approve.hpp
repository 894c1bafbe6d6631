#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/golden.hpp"
#include "harness/result/result.hpp"

namespace gpucheck::golden {

/// Text of a golden file for `result`'s case: the old file with values that did not
/// match replaced by those seen, absent keys added and unseen ones dropped. What is
/// written from an observation gets the basis "unapproved", which `Golden::parse`
/// rejects: a person replaces it by where the value really comes from (seed, torch,
/// spec, math, vendor) before the file counts.
/// @param old_text the present file; empty when there is none.
/// @throws EnvironmentError for a run that did not reach its end, and for what no golden file can hold: numbers that
/// are not finite, too many keys. MalformedGolden for a present file that is none, or is of another case.
std::string propose(std::string_view old_text, std::string_view origin, const harness::CaseResult& result,
                    const Conditions& conditions);

}  // namespace gpucheck::golden
