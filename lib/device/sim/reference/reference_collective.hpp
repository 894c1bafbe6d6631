#pragma once

#include <span>

#include "device/libraries/collective.hpp"

/// The simulated devices' library for what ranks do together: each collective as it is defined, on the host. Reductions
/// go from the first rank to the last, rounded to the type after each, so that what is called exact is shown to be.
namespace gpucheck::sim {

/// Reads and writes the simulated memory of all ranks at once; all of it must be there. The collective must be one that
/// `check_collective` takes.
void communicate_on_host(const device::Collective& collective, std::span<const device::RankOperands> operands);

}  // namespace gpucheck::sim
