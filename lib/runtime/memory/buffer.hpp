#pragma once

#include <cstddef>
#include <utility>

#include "runtime/runtime.hpp"

namespace gpucheck::runtime {

/// Owns device memory for `size()` elements of T, allocated from the runtime's
/// allocator for one stream. Moves, never copies; contents are undefined at first.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  /// @throws OutOfMemoryError, DeviceError.
  Buffer(Runtime& runtime, std::size_t count, device::Stream stream)
      : allocator_(&runtime.allocator()),
        data_(static_cast<T*>(allocator_->allocate(count * sizeof(T), stream))),
        size_(count) {}
  Buffer(Buffer&& other) noexcept
      : allocator_(std::exchange(other.allocator_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer moved(std::move(other));
    std::swap(allocator_, moved.allocator_);
    std::swap(data_, moved.data_);
    std::swap(size_, moved.size_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) allocator_->free_without_throwing(data_);
  }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }

  /// See DeviceAllocator::record_stream.
  void record_stream(device::Stream stream) { allocator_->record_stream(data_, stream); }

 private:
  DeviceAllocator* allocator_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gpucheck::runtime
