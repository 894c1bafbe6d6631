#pragma once

#include <string>

#include "device/values/status.hpp"

/// The parts of NVIDIA's driver that the CUDA runtime does not offer. Libraries are
/// loaded on first use and stay loaded.
namespace gpucheck::cuda {

/// `cuDeviceGetCount` without `cuInit`. insufficient_driver when libcuda.so.1 cannot
/// be loaded.
device::Result<int> driver_device_count();

/// A function of the driver API by its name; null when libcuda.so.1 cannot be loaded or
/// does not have it.
void* driver_function(const char* name);

/// The display driver's version, for example "580.159.04"; empty when there is no
/// NVIDIA driver.
std::string display_driver_version();

}  // namespace gpucheck::cuda
