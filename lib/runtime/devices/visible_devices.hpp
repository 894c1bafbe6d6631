#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucheck::runtime {

/// How many devices a visible-devices variable with this value leaves, as PyTorch counts before
/// the driver is initialised: numbers up to the first that is none, or UUIDs ("GPU-...", or how
/// they begin) up to the first that no installed device or more than one has; none at all when
/// one is named twice. Nothing for parts of devices ("MIG-..."), which are not counted here.
/// @param installed the UUIDs of the machine's devices.
[[nodiscard]] std::optional<int> count_visible_devices(std::string_view value,
                                                       const std::vector<std::string>& installed);

}  // namespace gpucheck::runtime
