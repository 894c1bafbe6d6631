#include "device/sim/simulated_device.hpp"

namespace gpucheck::sim {

using device::Result;
using device::Status;

Result<device::AsyncPoolUsage> SimulatedDevice::async_pool_usage() {
  return call(Operation::async_pool_usage, [&]() -> Result<device::AsyncPoolUsage> { return context_.pool.usage(); });
}

Status SimulatedDevice::reset_async_pool_peaks() {
  return call(Operation::reset_async_pool_peaks, [&] {
    context_.pool.reset_peaks();
    return Status::success;
  });
}

Status SimulatedDevice::set_async_pool_threshold(std::uint64_t bytes) {
  return call(Operation::set_async_pool_threshold, [&] {
    context_.pool.set_threshold(bytes);
    return Status::success;
  });
}

Status SimulatedDevice::trim_async_pool(std::uint64_t bytes_to_keep) {
  return call(Operation::trim_async_pool, [&] {
    context_.pool.collect(timeline().reached_ns());
    context_.pool.trim(bytes_to_keep);
    return Status::success;
  });
}

}  // namespace gpucheck::sim
