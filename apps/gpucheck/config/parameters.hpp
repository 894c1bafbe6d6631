#pragma once

#include <span>

#include "harness/case/registry.hpp"
#include "input/run_options.hpp"

namespace gpucheck::application {

/// A configuration file serves many selections: of the parameters that it gives values, those that no case of this one
/// has are left out. @throws UsageError for one that no case at all has.
RunOptions with_parameters_of(std::span<const harness::Case* const> selected, const harness::Registry& registry,
                              RunOptions options);

}  // namespace gpucheck::application
