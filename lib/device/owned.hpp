#pragma once

#include "base/unique_handle.hpp"
#include "device/device.hpp"

/// Owners for the raw handles of `handles.hpp`. Each destroys its handle on the
/// device it came from; the device must outlive it. A failure to destroy is ignored:
/// the error, if it matters, is sticky and surfaces at the next call.
namespace gpucheck::device {

namespace detail {

template <auto destroy_method>
struct DeviceHandleTraits;

template <typename Topic, typename RawHandle, Status (Topic::*destroy_method)(RawHandle)>
struct DeviceHandleTraits<destroy_method> {
  using Owner = Topic;
  using Handle = RawHandle;
  static void destroy(Topic& topic, RawHandle handle) noexcept { static_cast<void>((topic.*destroy_method)(handle)); }
};

}  // namespace detail

using UniqueStream = unique_handle<detail::DeviceHandleTraits<&Streams::destroy_stream>>;
using UniqueEvent = unique_handle<detail::DeviceHandleTraits<&Streams::destroy_event>>;
using UniqueGraph = unique_handle<detail::DeviceHandleTraits<&Graphs::destroy_graph>>;
using UniqueGraphExec = unique_handle<detail::DeviceHandleTraits<&Graphs::destroy_executable>>;
using UniqueCommunicator = unique_handle<detail::DeviceHandleTraits<&Collectives::destroy_communicator>>;
using UniqueDeviceMemory = unique_handle<detail::DeviceHandleTraits<&Memory::free>>;
using UniquePinnedMemory = unique_handle<detail::DeviceHandleTraits<&Memory::free_pinned>>;

/// Makes an owner from a call's result. @throws DeviceError.
template <typename Owner>
Owner own(typename Owner::Owner& topic, Result<typename Owner::Handle> result) {
  return Owner(topic, result.value());
}

}  // namespace gpucheck::device
