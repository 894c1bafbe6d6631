#pragma once

#include <cstddef>
#include <cstdint>

#include "device/values/handles.hpp"
#include "device/values/kernel.hpp"
#include "device/values/status.hpp"

namespace gpucheck::device {

enum class CopyKind { host_to_device, device_to_host, device_to_device, host_to_host };

using HostFunction = void (*)(void* argument);

/// What streams are given to do.
class Work {
 public:
  /// `cudaMemcpyAsync`. From or to pageable host memory it may block the caller.
  virtual Status copy(void* destination, const void* source, std::size_t bytes, CopyKind kind, Stream stream) = 0;
  /// `cudaMemsetAsync`.
  virtual Status fill(void* destination, std::uint8_t value, std::size_t bytes, Stream stream) = 0;
  /// Runs one of the kernels of `kernels/`; use the typed
  /// `device::launch` of `launch.hpp` rather than this. A count of 0 launches nothing.
  virtual Status launch(const KernelLaunch& launch, Stream stream) = 0;
  /// `cudaLaunchHostFunc`: `function(argument)` on a driver thread, in stream order.
  virtual Status host_callback(Stream stream, HostFunction function, void* argument) = 0;

 protected:
  ~Work() = default;
};

}  // namespace gpucheck::device

/// The operations of `Work`: see `operations.hpp`.
#define GPUCHECK_WORK_OPERATIONS(OPERATION, ALSO)                                                                     \
  OPERATION(copy, device::Status, copy,                                                                               \
            (void* destination, const void* source, std::size_t bytes, device::CopyKind kind, device::Stream stream), \
            (destination, source, bytes, kind, stream))                                                               \
  OPERATION(fill, device::Status, fill,                                                                               \
            (void* destination, std::uint8_t value, std::size_t bytes, device::Stream stream),                        \
            (destination, value, bytes, stream))                                                                      \
  OPERATION(launch_kernel, device::Status, launch, (const device::KernelLaunch& launch, device::Stream stream),       \
            (launch, stream))                                                                                         \
  OPERATION(host_callback, device::Status, host_callback,                                                             \
            (device::Stream stream, device::HostFunction function, void* argument), (stream, function, argument))
