#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "runtime/memory/buffer.hpp"

namespace gpucheck::runtime {

/// A part of a block of device memory that others of these may share, as views share a
/// tensor's storage: the block goes with the last of them. Copies share.
template <typename T>
class SharedBuffer {
 public:
  /// All of `block`.
  explicit SharedBuffer(Buffer<T> block) : block_(std::make_shared<Buffer<T>>(std::move(block))) {}

  /// The elements from `first` on. @throws Error beyond the end.
  [[nodiscard]] SharedBuffer from(std::size_t first) const {
    if (first > size()) throw Error("a view begins beyond the end of its memory");
    SharedBuffer view = *this;
    view.offset_ += first;
    return view;
  }

  [[nodiscard]] T* data() const noexcept { return block_->data() + offset_; }
  [[nodiscard]] std::size_t size() const noexcept { return block_->size() - offset_; }
  /// Elements of the block before this part.
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

  /// Records the stream for the whole block, wherever this part begins; see DeviceAllocator::record_stream.
  void record_stream(device::Stream stream) const { block_->record_stream(stream); }

 private:
  std::shared_ptr<Buffer<T>> block_;
  std::size_t offset_ = 0;
};

}  // namespace gpucheck::runtime
