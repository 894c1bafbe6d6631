#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/rounding.hpp"

namespace gpucheck::runtime::detail {

/// Position of a block in its arena's store; 0 is no block.
using BlockIndex = std::uint32_t;
inline constexpr BlockIndex no_block = 0;

/// One stretch of a segment, one cache line. Sizes in bytes; size 0 marks an unused slot.
struct alignas(64) Block {
  std::uintptr_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t requested = 0;
  std::uint64_t searches_at_insertion = 0;  ///< its pool's searches when it became free
  BlockIndex previous = no_block;           ///< neighbours by address in the same segment
  BlockIndex next = no_block;
  BlockIndex left = no_block;  ///< children in the free set
  BlockIndex right = no_block;
  std::uint32_t uses = 0;    ///< its entry in the arena's StreamUses; 0 is none
  std::uint32_t events = 0;  ///< recorded and not yet seen complete
  PoolKind kind = PoolKind::small;
  bool allocated = false;
  bool is_free = false;  ///< in the free set; neither this nor allocated: a free is pending

  [[nodiscard]] bool is_split() const noexcept { return previous != no_block || next != no_block; }
};
static_assert(sizeof(Block) == 64);

/// Blocks by index, in pages that never move. Not thread-safe.
class BlockStore {
 public:
  [[nodiscard]] Block& operator[](BlockIndex index) noexcept { return pages_[index / page_size][index % page_size]; }
  [[nodiscard]] const Block& operator[](BlockIndex index) const noexcept {
    return pages_[index / page_size][index % page_size];
  }
  [[nodiscard]] BlockIndex make();
  void release(BlockIndex index);
  /// Indices are below this; slots of size 0 are unused.
  [[nodiscard]] BlockIndex end() const noexcept { return end_; }
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  static constexpr std::size_t page_size = 64;

  std::vector<std::unique_ptr<Block[]>> pages_;
  BlockIndex end_ = 1;            ///< 0 is no block
  BlockIndex unused_ = no_block;  ///< released slots, chained by `next`
};

}  // namespace gpucheck::runtime::detail
