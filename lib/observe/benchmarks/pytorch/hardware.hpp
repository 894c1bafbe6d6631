#pragma once

#include <memory>

#include "device/driver.hpp"

namespace peers {

/// The driver of NVIDIA GPUs; null in a build without CUDA.
std::unique_ptr<gpucheck::device::Driver> make_hardware_driver();

}  // namespace peers
