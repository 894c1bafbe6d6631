#pragma once

#include <cstdint>

#include "device/values/handles.hpp"

namespace gpucheck::runtime {

/// Reported, on the calling thread and without any lock held, of what a runtime's users do
/// with the device: the places where PyTorch's GPU trace fires. What the runtime does for
/// itself, such as recording the allocators' own events, it does not hear of. By default it
/// ignores all of it.
class GpuTraceSink {
 public:
  virtual ~GpuTraceSink() = default;
  /// Memory was allocated, cached or not.
  virtual void memory_allocation(std::uintptr_t /*address*/) noexcept {}
  /// Memory in use is about to be freed.
  virtual void memory_deallocation(std::uintptr_t /*address*/) noexcept {}
  /// An event was made, for its first record.
  virtual void event_creation(device::Event) noexcept {}
  /// An event is about to be destroyed.
  virtual void event_deletion(device::Event) noexcept {}
  /// An event was recorded.
  virtual void event_record(device::Event, device::Stream) noexcept {}
  /// A stream was asked to wait for an event.
  virtual void event_wait(device::Event, device::Stream) noexcept {}
  /// A stream of the pool was made.
  virtual void stream_creation(device::Stream) noexcept {}
  /// The host is about to wait for the device, for a stream, for an event.
  virtual void device_synchronization() noexcept {}
  virtual void stream_synchronization(device::Stream) noexcept {}
  virtual void event_synchronization(device::Event) noexcept {}

 protected:
  GpuTraceSink() = default;
  GpuTraceSink(const GpuTraceSink&) = default;
  GpuTraceSink& operator=(const GpuTraceSink&) = default;
};

}  // namespace gpucheck::runtime
