#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/golden.hpp"
#include "harness/case/registry.hpp"
#include "harness/values/run_settings.hpp"

/// Golden files without a case: what was once checked and no longer is.
namespace gpucheck::runner {

/// Names for which there is a golden file but no case. In alphabetical order.
std::vector<std::string> orphan_goldens(const harness::Registry& registry, const golden::GoldenSet& goldens);

/// The failure that stands for one of them in a run with these settings.
harness::CaseResult orphan_result(std::string_view name, harness::RunSettings settings);

}  // namespace gpucheck::runner
