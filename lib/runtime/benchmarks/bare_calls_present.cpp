#include "device/cuda/benchmarks/bare_streams.hpp"
#include "device/cuda/cuda_driver.hpp"
#include "runtime/benchmarks/bare_calls.hpp"

namespace gpucheck::benchmarks {

BareCalls bare_calls() { return {.record = cuda::benchmarks::record_bare, .wait = cuda::benchmarks::wait_bare}; }

std::unique_ptr<device::Driver> make_gpu_driver() {
  std::unique_ptr<device::Driver> driver = cuda::make_driver();
  return driver->device_count().has_value() ? std::move(driver) : nullptr;
}

}  // namespace gpucheck::benchmarks
