#pragma once

#include <functional>
#include <string>

#include "input/machine/machine_report.hpp"

/// CUDA's devices, found in one process and reported to another.
namespace gpucheck::application {

/// Asks CUDA; sends what is known after each device.
void send_cuda_devices(const std::function<void(const std::string&)>& send);

/// What was sent.
[[nodiscard]] MachineReport::Devices cuda_devices_from(const std::string& sent);

}  // namespace gpucheck::application
