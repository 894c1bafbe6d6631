#pragma once

#include <utility>

namespace gpucheck::runtime {

/// The number of the calling thread's current device: 0 at first.
[[nodiscard]] inline int& current_device() noexcept {
  thread_local int current = 0;
  return current;
}

/// Makes another device the calling thread's current one for a scope. Whether there is
/// such a device is not looked at.
class CurrentDeviceGuard {
 public:
  explicit CurrentDeviceGuard(int index) noexcept : previous_(std::exchange(current_device(), index)) {}
  ~CurrentDeviceGuard() { current_device() = previous_; }
  CurrentDeviceGuard(const CurrentDeviceGuard&) = delete;
  CurrentDeviceGuard& operator=(const CurrentDeviceGuard&) = delete;

 private:
  int previous_;
};

}  // namespace gpucheck::runtime
