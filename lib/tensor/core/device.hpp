#pragma once

#include <string>

#include "runtime/runtime.hpp"

namespace gpucheck::tensor {

/// Where a tensor's elements are: in the host's memory, or in that of a runtime's device. A value; the runtime must
/// outlive what uses it.
class Device {
 public:
  /// The host.
  constexpr Device() noexcept = default;
  /// A runtime's device.
  Device(runtime::Runtime& runtime) noexcept : runtime_(&runtime) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool is_host() const noexcept { return runtime_ == nullptr; }
  /// The runtime, of a device that is not the host.
  [[nodiscard]] runtime::Runtime& runtime() const noexcept { return *runtime_; }
  /// The device's number; -1 for the host.
  [[nodiscard]] int index() const noexcept { return is_host() ? -1 : runtime_->device().ordinal(); }
  /// "cpu", or "cuda:0" by the device's number.
  [[nodiscard]] std::string text() const { return is_host() ? "cpu" : "cuda:" + std::to_string(index()); }

  bool operator==(const Device&) const noexcept = default;

 private:
  runtime::Runtime* runtime_ = nullptr;
};

inline constexpr Device host{};

}  // namespace gpucheck::tensor
