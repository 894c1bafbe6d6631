#pragma once

#include <memory>

#include "device/driver.hpp"

/// NVIDIA GPUs through the CUDA runtime, linked statically. This header names no CUDA
/// type; the library exists only in builds with a CUDA toolkit.
namespace gpucheck::cuda {

/// Touches no driver: `Driver::device_count` or `open` does, on first use.
std::unique_ptr<device::Driver> make_driver();

}  // namespace gpucheck::cuda
