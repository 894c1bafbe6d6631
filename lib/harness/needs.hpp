#pragma once

#include <optional>
#include <string>

#include "harness/context.hpp"

namespace gpucheck::harness {

/// The reason to skip the context's case, if something it needs is not there. A case
/// that needs no device makes no device call here, and one that needs no memory opens
/// no device. @throws DeviceError when the device cannot tell.
std::optional<std::string> unmet_need(Context& context);

/// "needs 2 devices, 1 is there"
std::string too_few_devices(int needed, int there);

}  // namespace gpucheck::harness
