#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "runtime/runtime.hpp"

namespace gpucheck::runtime {

/// Owns page-locked host memory for `size()` elements of T, allocated from the runtime's
/// pinned allocator. Moves, never copies; contents are undefined at first.
template <typename T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  /// @throws DeviceError, Error.
  PinnedBuffer(Runtime& runtime, std::size_t count)
      : device_(&runtime.device()),
        allocator_(&runtime.pinned_allocator()),
        memory_(allocator_->allocate(count * sizeof(T), runtime.current_stream())),
        size_(count) {}
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : device_(other.device_),
        allocator_(other.allocator_),
        memory_(std::exchange(other.memory_, {})),
        size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    PinnedBuffer moved(std::move(other));
    std::swap(device_, moved.device_);
    std::swap(allocator_, moved.allocator_);
    std::swap(memory_, moved.memory_);
    std::swap(size_, moved.size_);
    return *this;
  }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() {
    if (memory_.context != nullptr) allocator_->free_without_throwing(memory_.context);
  }

  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(memory_.pointer); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  [[nodiscard]] std::span<T> span() const noexcept { return {data(), size_}; }
  /// The same for the host to read, or write, at once: says so to the device, that a
  /// simulated one may report work which the host has not waited for. @throws DeviceError.
  [[nodiscard]] std::span<const T> host_read() const {
    if (size_ != 0) device::check(device_->host_access(device::reads(data(), size_bytes())), "host_access");
    return span();
  }
  [[nodiscard]] std::span<T> host_write() const {
    if (size_ != 0) device::check(device_->host_access(device::writes(data(), size_bytes())), "host_access");
    return span();
  }
  /// What the pinned allocator knows the memory by, also from a pointer into its middle.
  [[nodiscard]] const void* context() const noexcept { return memory_.context; }

 private:
  device::Device* device_ = nullptr;
  PinnedAllocator* allocator_ = nullptr;
  PinnedAllocator::Allocation memory_;
  std::size_t size_ = 0;
};

}  // namespace gpucheck::runtime
