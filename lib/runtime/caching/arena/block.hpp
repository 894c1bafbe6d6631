#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/allocator/rounding.hpp"

namespace gpucheck::runtime::detail {

/// Position of a block in its arena's store; 0 is not a block.
using BlockIndex = std::uint32_t;
inline constexpr BlockIndex no_block = 0;

/// One range of a segment, one cache line. Sizes in bytes; size 0 marks an unused slot.
struct alignas(64) Block {
  std::uintptr_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t requested = 0;
  std::uint64_t searches_at_insertion = 0;  ///< its pool's searches when it became free
  BlockIndex previous = no_block;           ///< neighbours by address in the same segment
  BlockIndex next = no_block;
  BlockIndex left = no_block;  ///< links of the free set that holds it
  BlockIndex right = no_block;
  BlockIndex back = no_block;
  std::uint32_t uses = 0;  ///< its entry in the arena's StreamUses; 0 is none
  PoolKind kind = PoolKind::small;
  bool allocated = false;
  bool is_free = false;     ///< in the free set; mapped, neither this nor allocated: a free is pending
  bool is_merged = false;   ///< made of several since its segment was obtained
  bool expandable = false;  ///< part of an expandable segment
  bool mapped = true;       ///< false: addresses without memory

  /// Free or without memory: an expandable segment may grow over it.
  [[nodiscard]] bool is_available() const noexcept { return is_free || !mapped; }
  [[nodiscard]] bool is_split() const noexcept { return previous != no_block || next != no_block; }
};
static_assert(sizeof(Block) == 64);

/// Blocks by index. References end at the next `make`. Not thread-safe.
///
/// There is a block at `no_block` too, behind all others by its address, whose links may be
/// written and mean nothing: code that links blocks need not ask whether there is one.
class BlockStore {
 public:
  static constexpr std::uintptr_t no_address = ~std::uintptr_t{0};

  [[nodiscard]] Block& operator[](BlockIndex index) noexcept { return blocks_[index]; }
  [[nodiscard]] const Block& operator[](BlockIndex index) const noexcept { return blocks_[index]; }

  [[nodiscard]] BlockIndex make() {
    if (unused_ == no_block) return append();
    const BlockIndex index = unused_;
    unused_ = std::exchange(blocks_[index].next, no_block);
    return index;
  }
  void release(BlockIndex index) noexcept {
    blocks_[index] = Block{};
    blocks_[index].next = std::exchange(unused_, index);
  }

  /// Indices are below this; slots of size 0 are unused.
  [[nodiscard]] BlockIndex end() const noexcept { return static_cast<BlockIndex>(blocks_.size()); }
  [[nodiscard]] std::size_t bytes() const noexcept { return blocks_.capacity() * sizeof(Block); }

 private:
  /// Grows by a quarter: doubling would leave too much of the memory idle.
  BlockIndex append() {
    if (blocks_.size() == blocks_.capacity()) blocks_.reserve(blocks_.size() + blocks_.size() / 4 + 16);
    blocks_.emplace_back();
    return end() - 1;
  }

  std::vector<Block> blocks_ = {Block{.address = no_address}};
  BlockIndex unused_ = no_block;  ///< released slots, chained by `next`
};

}  // namespace gpucheck::runtime::detail
