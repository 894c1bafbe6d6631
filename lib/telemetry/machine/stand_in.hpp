#pragma once

#include <cstdint>
#include <vector>

#include "telemetry/kernel_log/kernel_event.hpp"
#include "telemetry/machine/machine.hpp"

/// A recording in place of a driver, for devices that have none: simulated ones.
namespace gpucheck::telemetry {

/// A device that something recorded stands for.
struct StandInFor {
  GpuId id;
  std::int64_t memory_bytes = 0;
};

/// A healthy machine with one GPU, its NVLinks up: built into the binary (recorded/simulated_gpu.json).
[[nodiscard]] Machine healthy_machine();

/// The recorded GPUs as if they were these devices: each has the next one's UUID, PCI address and memory. A recording
/// of one GPU stands for all devices; of one with more, those beyond the devices keep their own identity.
/// @param pid of the process that computes on the devices: the driver would list it.
[[nodiscard]] Machine stand_in(Machine recorded, const std::vector<StandInFor>& devices, std::int64_t pid);

/// The same of a log that another machine wrote, for simulated GPUs: of the addresses that it names, in their order,
/// the first becomes the first GPU's, and so on; those beyond, and those that the machine has, stay. On a machine whose
/// GPUs are not simulated nothing changes.
void stand_in(std::vector<KernelEvent>& log, const Machine& machine);

}  // namespace gpucheck::telemetry
