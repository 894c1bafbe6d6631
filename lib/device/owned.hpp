#pragma once

#include "base/unique_handle.hpp"
#include "device/device.hpp"

/// Owners for the raw handles of `handles.hpp`. Each destroys its handle on the
/// device it came from; the device must outlive it. A failure to destroy is ignored:
/// the error, if it matters, is sticky and surfaces at the next call.
namespace gpucheck::device {

namespace detail {

template <typename RawHandle, Status (Device::*destroy_method)(RawHandle)>
struct DeviceHandleTraits {
  using Owner = Device;
  using Handle = RawHandle;
  static void destroy(Device& device, RawHandle handle) noexcept {
    static_cast<void>((device.*destroy_method)(handle));
  }
};

}  // namespace detail

using UniqueStream = unique_handle<detail::DeviceHandleTraits<Stream, &Device::destroy_stream>>;
using UniqueEvent = unique_handle<detail::DeviceHandleTraits<Event, &Device::destroy_event>>;
using UniqueGraph = unique_handle<detail::DeviceHandleTraits<Graph, &Device::destroy_graph>>;
using UniqueGraphExec = unique_handle<detail::DeviceHandleTraits<GraphExec, &Device::destroy_executable>>;
using UniqueDeviceMemory = unique_handle<detail::DeviceHandleTraits<void*, &Device::free>>;
using UniquePinnedMemory = unique_handle<detail::DeviceHandleTraits<void*, &Device::free_pinned>>;

/// Makes an owner from a call's result. @throws DeviceError.
template <typename Owner>
Owner own(Device& device, Result<typename Owner::Handle> result) {
  return Owner(device, result.value());
}

}  // namespace gpucheck::device
