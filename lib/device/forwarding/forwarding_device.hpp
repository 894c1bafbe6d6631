#pragma once

#include <memory>
#include <utility>

#include "device/forwarding/operations.hpp"

namespace gpucheck::device {

/// Base of devices that stand before another one and change some of its calls: every
/// method does what the inner device does. As thread-safe as that one.
class ForwardingDevice : public Device {
 public:
  explicit ForwardingDevice(std::unique_ptr<Device> inner) noexcept : owned_(std::move(inner)), inner_(owned_.get()) {}
  /// The inner device must outlive it.
  explicit ForwardingDevice(Device& inner) noexcept : inner_(&inner) {}

  [[nodiscard]] int ordinal() const noexcept override { return inner_->ordinal(); }
  [[nodiscard]] const DeviceProperties& properties() const noexcept override { return inner_->properties(); }

#define GPUCHECK_FORWARD(operation, result, method, parameters, arguments) \
  result method parameters override { return inner_->method arguments; }
  GPUCHECK_DEVICE_OPERATIONS(GPUCHECK_FORWARD, GPUCHECK_FORWARD)
#undef GPUCHECK_FORWARD

 protected:
  [[nodiscard]] Device& inner() noexcept { return *inner_; }
  [[nodiscard]] const Device& inner() const noexcept { return *inner_; }

 private:
  std::unique_ptr<Device> owned_;
  Device* inner_;
};

}  // namespace gpucheck::device
