#pragma once

#include <memory>

#include "device/driver.hpp"
#include "device/fault/plan.hpp"

namespace gpucheck::fault {

/// Wraps a driver so that it and every device it opens misbehave as the plan says.
/// Calls are counted over the whole driver, all its devices and threads together.
/// An empty plan changes nothing. @throws Error for a plan that makes no sense (see `check`).
std::unique_ptr<device::Driver> inject(std::unique_ptr<device::Driver> driver, const Plan& plan);

}  // namespace gpucheck::fault
