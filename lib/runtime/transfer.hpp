#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/runtime.hpp"

/// Copies between host and device, ordered on a stream. Sizes are bytes; 0 copies
/// nothing. @throws DeviceError for all of them.
namespace gpucheck::runtime {

enum class Transfer : std::uint8_t {
  /// The copy is done when the call returns.
  blocking,
  /// The call only submits the copy where the host memory is pinned; the pinned
  /// allocator is told of the stream, so that the memory is not reused too early.
  non_blocking,
};

/// Host memory: where, and the context it is known by to the pinned allocator if it is
/// its own. Needed for a pointer into the middle of a block; null otherwise.
template <typename Pointer>
struct HostMemory {
  HostMemory(Pointer* start, const void* known_by = nullptr) noexcept : data(start), context(known_by) {}
  Pointer* data;
  const void* context;
};

void copy_to_device(Runtime& runtime, void* destination, HostMemory<const void> source, std::size_t bytes,
                    Transfer transfer, device::Stream stream);
void copy_to_host(Runtime& runtime, HostMemory<void> destination, const void* source, std::size_t bytes,
                  Transfer transfer, device::Stream stream);

}  // namespace gpucheck::runtime
