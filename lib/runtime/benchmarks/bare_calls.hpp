#pragma once

#include <memory>

#include "device/driver.hpp"

/// What benchmarks of the runtime compare it with.
namespace gpucheck::benchmarks {

struct BareCalls {
  bool (*record)(device::Event, device::Stream) noexcept;
  bool (*wait)(device::Stream, device::Event) noexcept;
};

/// CUDA's own calls. @throws where the build has no CUDA.
BareCalls bare_calls();
/// The driver of GPUs; null where the build has no CUDA, or there is no GPU.
std::unique_ptr<device::Driver> make_gpu_driver();

}  // namespace gpucheck::benchmarks
