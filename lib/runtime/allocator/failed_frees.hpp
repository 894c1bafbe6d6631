#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "device/values/status.hpp"

namespace gpucheck::runtime {

/// Frees that failed where nothing can be thrown: in destructors. Thread-safe.
class FailedFrees {
 public:
  /// Calls `free` and keeps the text of its error, but for that of a device whose context is
  /// spoilt: nothing is left to free there.
  template <typename Free>
  void watch(Free&& free) noexcept {
    try {
      std::forward<Free>(free)();
    } catch (const device::DeviceError& error) {
      if (!device::is_sticky(error.status())) keep(error.what());
    } catch (const Error& error) {
      keep(error.what());
    }
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    const std::scoped_lock lock(mutex_);
    return texts_;
  }

 private:
  void keep(const char* text) {
    const std::scoped_lock lock(mutex_);
    texts_.emplace_back(text);
  }

  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
};

}  // namespace gpucheck::runtime
