#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "telemetry/machine_source.hpp"

/// GPUs of which one that does not answer costs the others nothing.
namespace gpucheck::telemetry {

/// One GPU that can be asked.
struct OpenedGpu {
  std::unique_ptr<Source> source;
  std::optional<Gpu> identity;  ///< where it has said already which it is
};
using OpenGpu = std::function<OpenedGpu(unsigned number)>;

/// Asks each of the GPUs on a thread of its own. One that does not answer in time is answered for: each of its readings
/// is a failure that says so. It is not waited for again until it has answered. A question about GPUs by their identity
/// waits for those alone; where their identity is not known, they may be the ones that do not answer.
/// @param versions of the machine, without GPUs.
/// @param open of the GPU with that number; called on its thread.
[[nodiscard]] std::unique_ptr<Source> ask_side_by_side(Machine versions, unsigned count, OpenGpu open,
                                                       GpuPatience patience = {});

/// A GPU that gave no answers.
[[nodiscard]] Gpu silent_gpu(const std::string& reason);

/// Gives GPUs without a PCI address those of the GPUs on the bus that are the driver's and that no other answer came
/// from, where there are as many of both.
void name_silent_gpus(Machine& machine);

}  // namespace gpucheck::telemetry
