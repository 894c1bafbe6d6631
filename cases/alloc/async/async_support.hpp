#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "device/forwarding/forwarding_device.hpp"
#include "harness/case/context.hpp"
#include "runtime/runtime.hpp"

/// What the cases of PyTorch's cudaMallocAsync backend share. They make an allocator of that
/// kind themselves, whichever the run was asked to use.
namespace gpucheck::cases::in_alloc {

/// Notes on which stream each block was last freed, and fails one call when asked to. For one thread at a time.
class NotingDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  device::Status free_async(void* pointer, device::Stream stream) override {
    freed_on_.insert_or_assign(pointer, stream);
    return ForwardingDevice::free_async(pointer, stream);
  }
  [[nodiscard]] std::optional<device::Stream> freed_on(void* pointer) const {
    const auto found = freed_on_.find(pointer);
    return found == freed_on_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Which an allocation outside captures exchanges before it asks for memory.
  void fail_next_capture_mode() { fails_ = true; }
  [[nodiscard]] device::Result<device::CaptureMode> exchange_capture_mode(device::CaptureMode mode) override {
    if (std::exchange(fails_, false)) return device::Status::unknown;
    return ForwardingDevice::exchange_capture_mode(mode);
  }

 private:
  std::map<void*, device::Stream> freed_on_;
  bool fails_ = false;
};

/// A runtime with the backend on the case's device, and a side stream of its pool as current one.
class AsyncRuntime {
 public:
  explicit AsyncRuntime(harness::Context& context)
      : device_(context.driver().open(context.device().ordinal()).value()),
        runtime_(device_, {.kind = runtime::AllocatorChoice::Kind::async, .library = {}}) {
    runtime_.set_current_stream(runtime_.streams().next());
  }

  [[nodiscard]] NotingDevice& device() noexcept { return device_; }
  [[nodiscard]] runtime::Runtime& runtime() noexcept { return runtime_; }
  [[nodiscard]] runtime::DeviceAllocator& allocator() noexcept { return runtime_.allocator(); }
  [[nodiscard]] device::Stream stream() const { return runtime_.current_stream(); }

 private:
  NotingDevice device_;
  runtime::Runtime runtime_;
};

}  // namespace gpucheck::cases::in_alloc
