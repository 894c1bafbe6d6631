#pragma once

#include <unordered_set>
#include <utility>

#include "device/forwarding/forwarding_device.hpp"

namespace gpucheck::replay {

/// A device that knows on which streams an allocator has put work: what it records there, waits for, or allocates and
/// frees in stream order. Used by one thread. The inner device must outlive it.
class StreamWork : public device::ForwardingDevice {
 public:
  explicit StreamWork(device::Device& inner) : ForwardingDevice(inner) {}

  using ForwardingDevice::record;
  device::Status record(device::Event event, device::Stream stream) override {
    streams_.insert(stream);
    return ForwardingDevice::record(event, stream);
  }
  using ForwardingDevice::wait;
  device::Status wait(device::Stream stream, device::Event event) override {
    streams_.insert(stream);
    return ForwardingDevice::wait(stream, event);
  }
  device::Result<void*> allocate_async(std::size_t bytes, device::Stream stream) override {
    streams_.insert(stream);
    return ForwardingDevice::allocate_async(bytes, stream);
  }
  device::Status free_async(void* pointer, device::Stream stream) override {
    streams_.insert(stream);
    return ForwardingDevice::free_async(pointer, stream);
  }

  [[nodiscard]] bool has_streams() const noexcept { return !streams_.empty(); }
  /// The streams with work since they were taken last.
  [[nodiscard]] std::unordered_set<device::Stream> take_streams() { return std::exchange(streams_, {}); }

 private:
  std::unordered_set<device::Stream> streams_;
};

/// Before the runtime that runs on it.
struct OnWatchedStreams {
  explicit OnWatchedStreams(device::Device& device) : watched(device) {}
  StreamWork watched;
};

}  // namespace gpucheck::replay
