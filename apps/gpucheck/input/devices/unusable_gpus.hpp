#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/driver.hpp"
#include "telemetry/machine/driver_state.hpp"

/// What is said of a machine whose GPUs CUDA does not offer.
namespace gpucheck::application {

inline constexpr std::string_view without_cuda = "this binary was built without a CUDA toolkit";

/// What there is besides CUDA.
struct MachineLook {
  telemetry::DriverState driver;
  /// As NVML lists them, or, where it does not answer, as they are on the PCI bus: then with their addresses alone.
  std::vector<device::DeviceProperties> gpus;
};

/// Waits for NVML a bounded time.
[[nodiscard]] MachineLook look_at_machine();

/// Whether the machine has a GPU, whatever state it is in: no simulated device may stand in for it.
/// @param count what CUDA answered.
[[nodiscard]] bool has_gpu(const MachineLook& look, const device::Result<int>& count);

/// Why CUDA has no device to offer, in the driver's words, and what to do next.
/// @param visible_devices the value of CUDA_VISIBLE_DEVICES; null where it is not set.
[[nodiscard]] std::string cuda_problem(const MachineLook& look, const device::Result<int>& count,
                                       const char* visible_devices);

/// Those that CUDA_VISIBLE_DEVICES leaves, by its rules: numbers and UUIDs up to the first that is none. All, where it
/// leaves none: they are what cannot be used then.
[[nodiscard]] std::vector<device::DeviceProperties> visible_gpus(std::vector<device::DeviceProperties> gpus,
                                                                 const char* visible_devices);

/// CUDA in a binary that was built without it: says so when it is asked for devices.
[[nodiscard]] std::unique_ptr<device::Driver> make_absent_cuda_driver();

}  // namespace gpucheck::application
