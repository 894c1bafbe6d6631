#pragma once

#include <vector>

#include "cases/fabric/support.hpp"
#include "harness/case/case.hpp"
#include "harness/case/context.hpp"

/// Group tests: the first process decides which groups run a collective, and what their readings mean
/// (lib/fleet/groups); every process learns who is to blame, and fails for what is its own.
namespace gpucheck::cases::in_fabric {

void run_group_tests(harness::Context& context);

std::vector<harness::Parameter> group_parameters();
std::vector<harness::Fault> group_faults();

}  // namespace gpucheck::cases::in_fabric
