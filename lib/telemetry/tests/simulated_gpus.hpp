#pragma once

#include "telemetry/machine/machine.hpp"

namespace gpucheck::telemetry {

/// GPUs as simulated devices identify themselves.
inline GpuId first_gpu() { return {.uuid = "sim-0", .pci_address = "sim:00:00.0"}; }
inline GpuId second_gpu() { return {.uuid = "sim-1", .pci_address = "sim:01:00.0"}; }

}  // namespace gpucheck::telemetry
