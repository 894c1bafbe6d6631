#pragma once

#include <cstddef>
#include <utility>

#include "runtime/allocator/device_allocator.hpp"

namespace gpucheck::runtime {

/// Device memory that something else may own later. Moves, never copies. Not
/// thread-safe. The allocator must outlive it.
class Storage {
 public:
  /// Owns a new block. @throws OutOfMemoryError, DeviceError.
  Storage(DeviceAllocator& allocator, std::size_t bytes, device::Stream stream)
      : allocator_(&allocator), data_(allocator.allocate(bytes, stream)), bytes_(bytes) {}
  /// Memory that somebody else owns, if anybody does.
  Storage(void* data, std::size_t bytes) noexcept : data_(data), bytes_(bytes) {}
  Storage(Storage&& other) noexcept
      : allocator_(std::exchange(other.allocator_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Storage& operator=(Storage&& other) noexcept {
    Storage moved(std::move(other));
    std::swap(allocator_, moved.allocator_);
    std::swap(data_, moved.data_);
    std::swap(bytes_, moved.bytes_);
    return *this;
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() {
    if (owns()) allocator_->free_without_throwing(data_);
  }

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Whether the memory goes when this does.
  [[nodiscard]] bool owns() const noexcept { return allocator_ != nullptr && data_ != nullptr; }
  void disown() noexcept { allocator_ = nullptr; }
  /// The block at `data()` is this storage's from now on. It must not own one.
  void own(DeviceAllocator& allocator) noexcept { allocator_ = &allocator; }

 private:
  DeviceAllocator* allocator_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace gpucheck::runtime
