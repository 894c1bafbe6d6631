#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/detail/block.hpp"

namespace gpucheck::runtime::detail {

/// Start address to block, for an arena's blocks that are in use. Open addressing with
/// linear probing; an entry holds the upper half of the address's hash, so that a probe
/// rarely looks at a wrong block. Not thread-safe.
class PointerMap {
 public:
  /// The block that starts at `address`; no_block when there is none.
  [[nodiscard]] BlockIndex find(const BlockStore& blocks, std::uintptr_t address) const noexcept;
  /// `blocks[index]` must not be in the map yet.
  void insert(const BlockStore& blocks, BlockIndex index);
  /// Removes and returns the block that starts at `address`; no_block when there is none.
  BlockIndex erase(const BlockStore& blocks, std::uintptr_t address) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    BlockIndex index = no_block;
  };

  static std::uint32_t hash_of(std::uintptr_t address) noexcept {
    return static_cast<std::uint32_t>(((address / min_block_size) * 0x9E3779B97F4A7C15U) >> 32U);
  }
  [[nodiscard]] std::size_t home(std::uint32_t hash) const noexcept { return hash >> shift_; }
  [[nodiscard]] std::size_t position(const BlockStore& blocks, std::uintptr_t address) const noexcept;
  void place(Slot slot) noexcept;
  void grow();

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  unsigned shift_ = 32;
};

}  // namespace gpucheck::runtime::detail
