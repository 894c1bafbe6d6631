#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/rounding.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "runtime/pluggable/pluggable_library.hpp"
#include "tensor/ops.hpp"

/// What the cases that check an allocator library of the user's share. They call the
/// library's two functions themselves, and allocate nothing of their own from it.
namespace gpucheck::cases::in_alloc {

/// Needs of every such case. Own process: what the library keeps must not reach others.
inline harness::Needs pluggable_needs() { return {.own_process = true, .allocator_library = true}; }

/// What the library returned for one request; null when it failed.
struct LibraryBlock {
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  device::Stream stream;
};

/// Blocks in use; freed at the end of the scope.
class LibraryBlocks {
 public:
  explicit LibraryBlocks(runtime::Runtime& runtime) : library_(runtime.pluggable_library()) {}
  ~LibraryBlocks() {
    for (const LibraryBlock& block : blocks_) library_.free(block.data, block.bytes, block.stream);
  }
  LibraryBlocks(const LibraryBlocks&) = delete;
  LibraryBlocks& operator=(const LibraryBlocks&) = delete;

  /// The block, or one with a null pointer, which is not kept.
  LibraryBlock allocate(std::size_t bytes, device::Stream stream) {
    const LibraryBlock block{static_cast<std::uint8_t*>(library_.allocate(bytes, stream)), bytes, stream};
    if (block.data != nullptr) blocks_.push_back(block);
    return block;
  }
  void free(std::size_t index) {
    const LibraryBlock block = blocks_[index];
    blocks_[index] = blocks_.back();
    blocks_.pop_back();
    library_.free(block.data, block.bytes, block.stream);
  }
  void free_all() {
    while (!blocks_.empty()) free(blocks_.size() - 1);
  }
  [[nodiscard]] const std::vector<LibraryBlock>& blocks() const noexcept { return blocks_; }

 private:
  const runtime::PluggableLibrary& library_;
  std::vector<LibraryBlock> blocks_;
};

/// How many neighbours in memory share bytes.
inline std::size_t count_overlaps(std::vector<LibraryBlock> blocks) {
  std::ranges::sort(blocks, {}, &LibraryBlock::data);
  std::size_t overlaps = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) overlaps += blocks[i - 1].data + blocks[i - 1].bytes > blocks[i].data;
  return overlaps;
}

/// The device's own count of bytes looked at, in memory of its own.
class ByteTally {
 public:
  explicit ByteTally(runtime::Runtime& runtime)
      : runtime_(runtime),
        memory_(device::own<device::UniqueDeviceMemory>(runtime.device(),
                                                        runtime.device().allocate(sizeof(tensor::ops::Tally)))) {
    write(runtime, tally(), {tensor::ops::Tally{}}, runtime.current_stream());
  }
  /// One byte in `stride`, beginning with the first.
  void verify(const LibraryBlock& block, std::uint8_t value, std::size_t stride = 1) {
    tensor::ops::verify(runtime_, block.data, block.bytes, value, stride, tally(), block.stream,
                        tensor::ops::Claim::all);
    expected_ += divide_up(block.bytes, stride);
  }
  /// Observes `wrong_bytes` and whether every byte asked for was looked at. Waits.
  void observe(harness::Context& context) {
    device::check(runtime_.device(), runtime_.device().synchronize(), "synchronize");
    const tensor::ops::Tally seen = read_one(runtime_, tally(), runtime_.current_stream());
    context.observe("every_byte_verified", expected_ > 0 && seen.verified == expected_);
    // The tally too lies in memory that a wrong allocator may give away: then it can hold anything.
    constexpr auto most = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    context.observe("wrong_bytes", std::min(seen.wrong, most));
  }

 private:
  [[nodiscard]] tensor::ops::Tally* tally() const { return static_cast<tensor::ops::Tally*>(memory_.get()); }

  runtime::Runtime& runtime_;
  device::UniqueDeviceMemory memory_;
  std::uint64_t expected_ = 0;
};

/// A fault of the device that the library's memory comes from: it allocates memory that
/// is in use. Noticed only where the library gets memory from gpucheck.
inline harness::Fault memory_allocated_twice(std::uint64_t first) {
  return {.name = "memory_allocated_twice",
          .summary = "the library's memory is in use already",
          .plan = fault::memory_allocated_twice(fault::from_call(first))};
}

inline harness::Fault no_memory(std::uint64_t first) {
  return {.name = "no_memory",
          .summary = "the library gets no memory",
          .plan = fault::allocation_fails(fault::from_call(first))};
}

inline harness::Fault lost_kernels() {
  return {.name = "lost_kernels",
          .summary = "no kernel runs, so that memory is neither written nor looked at",
          .plan = fault::kernel_lost(fault::every_call)};
}

}  // namespace gpucheck::cases::in_alloc
