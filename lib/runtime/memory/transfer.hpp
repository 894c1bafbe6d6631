#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/memory/buffer.hpp"
#include "runtime/memory/pinned_buffer.hpp"
#include "runtime/runtime.hpp"

/// Copies between host and device, ordered on a stream. Sizes are bytes; 0 copies
/// nothing. @throws DeviceError for all of them; what makes memory also throws what its
/// allocator does.
namespace gpucheck::runtime {

enum class Transfer : std::uint8_t {
  /// The copy is done when the call returns.
  blocking,
  /// The call only submits the copy where the host memory is pinned; the pinned
  /// allocator hears of the stream, so that the memory is not reused too early.
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

/// Host memory that a transfer made, pinned or pageable. Moves, never copies.
template <typename T>
class HostBuffer {
 public:
  explicit HostBuffer(PinnedBuffer<T> pinned) noexcept : pinned_(std::move(pinned)) {}
  explicit HostBuffer(std::vector<T> pageable) noexcept : pageable_(std::move(pageable)) {}

  [[nodiscard]] T* data() noexcept { return pinned_.context() != nullptr ? pinned_.data() : pageable_.data(); }
  /// For the host to read at once: as PinnedBuffer::host_read. @throws DeviceError.
  [[nodiscard]] std::span<const T> host_read() const {
    return pinned_.context() != nullptr ? pinned_.host_read() : std::span<const T>(pageable_);
  }
  /// What the pinned allocator knows the memory by; null for pageable memory.
  [[nodiscard]] const void* context() const noexcept { return pinned_.context(); }

 private:
  PinnedBuffer<T> pinned_;
  std::vector<T> pageable_;
};

/// A copy of `count` elements in new device memory: PyTorch's `tensor.to("cuda")`.
template <typename T>
[[nodiscard]] Buffer<T> to_device(Runtime& runtime, HostMemory<const T> source, std::size_t count, Transfer transfer,
                                  device::Stream stream) {
  Buffer<T> result(runtime, count, stream);
  copy_to_device(runtime, result.data(), {source.data, source.context}, result.size_bytes(), transfer, stream);
  return result;
}

/// A copy of `count` elements in new host memory: PyTorch's `tensor.to("cpu")`. The memory
/// is pinned when the call does not wait, since only then can the device write it later.
template <typename T>
[[nodiscard]] HostBuffer<T> to_host(Runtime& runtime, const T* source, std::size_t count, Transfer transfer,
                                    device::Stream stream) {
  HostBuffer<T> result = transfer == Transfer::non_blocking ? HostBuffer<T>(PinnedBuffer<T>(runtime, count))
                                                            : HostBuffer<T>(std::vector<T>(count));
  copy_to_host(runtime, {result.data(), result.context()}, source, count * sizeof(T), transfer, stream);
  return result;
}

/// The same, as PyTorch's `tensor.cpu()`: it waits.
template <typename T>
[[nodiscard]] HostBuffer<T> to_host(Runtime& runtime, const T* source, std::size_t count, device::Stream stream) {
  return to_host(runtime, source, count, Transfer::blocking, stream);
}

}  // namespace gpucheck::runtime
