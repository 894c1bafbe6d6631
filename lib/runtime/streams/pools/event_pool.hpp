#pragma once

#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "device/owned.hpp"

namespace gpucheck::runtime {

/// Events without timing, made when none is idle and reused afterwards. Thread-safe.
class EventPool {
 public:
  /// Makes no device call.
  explicit EventPool(device::Device& device) noexcept : device_(device) {}

  /// @throws DeviceError.
  [[nodiscard]] device::UniqueEvent take();
  void release(device::UniqueEvent event);

 private:
  device::Device& device_;
  std::mutex mutex_;
  std::vector<device::UniqueEvent> idle_;
};

}  // namespace gpucheck::runtime
