#pragma once

#include <optional>
#include <span>
#include <string>

#include "commands/cases/run_estimate.hpp"
#include "golden/golden.hpp"
#include "harness/case/case.hpp"

/// What `list` and `describe` answer with --json.
namespace gpucheck::application {

/// "gpucheck.list/1"
std::string list_document(std::span<const harness::Case* const> cases, const std::optional<RunEstimate>& estimate);

/// "gpucheck.case/1". @param golden null when the case has none.
std::string case_document(const harness::Case& test_case, const golden::Golden* golden);

}  // namespace gpucheck::application
