#pragma once

#include <cstdint>
#include <optional>

#include "telemetry/machine/machine.hpp"

/// What a GPU is compared with: the others of its model in the machine.
namespace gpucheck::cases::in_health {

/// By how much the GPU is hotter than the median of its neighbours that are at the same load: within 10 percent points
/// of its utilization, and between half and twice its power. None without a neighbour of which all that is known.
/// @throws EnvironmentError where the driver failed to read any of it of the GPU itself.
[[nodiscard]] std::optional<std::int64_t> degrees_above_neighbours(const telemetry::Machine& machine,
                                                                   const telemetry::Gpu& gpu);

}  // namespace gpucheck::cases::in_health
