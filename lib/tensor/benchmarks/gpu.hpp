#pragma once

#include <memory>

#include "device/driver.hpp"

namespace gpucheck::benchmarks {

/// The driver of GPUs; null in a build without CUDA.
std::unique_ptr<device::Driver> make_gpu_driver();

}  // namespace gpucheck::benchmarks
