#pragma once

#include <memory>

#include "device/driver.hpp"

/// NVIDIA GPUs through the CUDA runtime, linked statically. This header names no CUDA
/// type; the library exists only in builds with a CUDA toolkit.
namespace gpucheck::cuda {

/// Touches no driver: `Driver::device_count` or `open` does, on first use. Defined by the library in which a program
/// joins the kernels of its parts (`gpucheck_join_kernels`): those are what its devices can launch.
std::unique_ptr<device::Driver> make_driver();
/// The same, once kernels were joined: for `make_driver`.
std::unique_ptr<device::Driver> make_driver_of_joined();

}  // namespace gpucheck::cuda
