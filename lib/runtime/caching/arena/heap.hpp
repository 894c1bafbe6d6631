#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "runtime/allocator/snapshot.hpp"
#include "runtime/caching/arena/block.hpp"
#include "runtime/caching/arena/large_free_set.hpp"
#include "runtime/caching/arena/pointer_map.hpp"
#include "runtime/caching/arena/pool.hpp"
#include "runtime/caching/arena/small_free_set.hpp"
#include "runtime/caching/arena/stream_uses.hpp"
#include "runtime/caching/counters/counters.hpp"

namespace gpucheck::runtime::detail {

/// Blocks of one pool for one stream: segments, cut into blocks that are in use or free. A block
/// is merged inside its own segment only, so that nothing here concerns another arena's heap.
/// Not thread-safe: an Arena guards it, and gives access to it without a parked block only.
class Heap {
 public:
  Heap() noexcept : counters(own_counters_) {}
  /// What moves here is counted in `shared`, which must outlive the heap.
  explicit Heap(Counters& shared) noexcept : counters(shared) {}
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  Counters& counters;

  /// Gives a heap without segments to a pool.
  void assign(Pool& pool) noexcept { pool_ = &pool; }
  [[nodiscard]] Pool& pool() const noexcept { return *pool_; }
  [[nodiscard]] Block& operator[](BlockIndex index) noexcept { return blocks_[index]; }
  [[nodiscard]] const Block& operator[](BlockIndex index) const noexcept { return blocks_[index]; }

  /// A free block for a request of `rounded` bytes, left in the free set; no_block when
  /// none may serve.
  [[nodiscard]] BlockIndex find_fit(std::uint64_t rounded, const SplitPolicy& policy) const noexcept;
  /// Allocates the free block, split where it should be.
  BlockIndex allocate(BlockIndex index, std::uint64_t rounded, std::uint64_t requested, const SplitPolicy& policy);
  /// Allocates the first `size` bytes of a free block, whatever the policy.
  BlockIndex carve(BlockIndex index, std::uint64_t size);
  /// A new segment, as one free block.
  BlockIndex add_segment(std::uintptr_t address, std::uint64_t size, PoolKind kind);
  /// Forgets a segment that is one block: free, or without memory.
  void remove_segment(BlockIndex index);

  // -- expandable segments: addresses that get memory from their beginning on ------------
  /// New reserved addresses, as one block without memory.
  void add_reservation(std::uintptr_t address, std::uint64_t size, PoolKind kind);
  /// Where `size` bytes fit at the lowest address of those that have no memory yet,
  /// counting the free block before them and what is free or without memory after them:
  /// the first block of that range. no_block when there is none.
  [[nodiscard]] BlockIndex find_room(PoolKind kind, std::uint64_t size) const;
  /// The first `size` bytes of a block without memory have got some: returns the free
  /// block that they now are part of.
  BlockIndex add_memory(BlockIndex index, std::uint64_t size);
  /// A range of a free block has lost its memory: returns the block that it now is part
  /// of, which has a neighbour as long as the segment has memory.
  BlockIndex remove_memory(BlockIndex index, std::uintptr_t address, std::uint64_t size);

  /// The block in use that starts at `address`, if any.
  [[nodiscard]] PointerMap::Place find(std::uintptr_t address) const noexcept { return live_.find(blocks_, address); }
  [[nodiscard]] std::size_t live_count() const noexcept { return live_.size(); }
  /// The caller freed the block; it is not reused before `finish_free`.
  void request_free(PointerMap::Place place) noexcept;
  /// Nobody uses the block any more: merges it with its free neighbours.
  void finish_free(BlockIndex index) noexcept;
  /// `request_free` of a block that other streams use: they are returned, and have to be done
  /// with it before `finish_pending_free`, which is `finish_free` for such a block.
  std::vector<StreamUse> begin_pending_free(PointerMap::Place place);
  void finish_pending_free(BlockIndex index) noexcept;
  /// Another stream uses the block.
  void add_use(BlockIndex index, const StreamUse& use) { blocks_[index].uses = uses_.add(blocks_[index].uses, use); }

  [[nodiscard]] std::vector<BlockIndex> free_blocks(PoolKind kind) const;
  [[nodiscard]] std::uint64_t free_bytes() const noexcept;
  /// Some free block of at least `size` bytes, the best fit.
  [[nodiscard]] BlockIndex best_fit(PoolKind kind, std::uint64_t size) const noexcept {
    if (kind == PoolKind::large) return large_.best_fit(blocks_, size);
    const BlockIndex best = size <= small_segment_size ? small_.best_fit(blocks_, size) : no_block;
    return best != no_block || expandable_ == nullptr ? best : expandable_->wide.best_fit(blocks_, size);
  }
  /// First blocks of all segments; of an expandable one, of each range with memory.
  [[nodiscard]] std::vector<BlockIndex> segments() const;
  /// First block of the segment that a block is in.
  [[nodiscard]] BlockIndex first_of_segment(BlockIndex index) const noexcept;
  [[nodiscard]] BlockInfo info(BlockIndex index) const noexcept;
  /// Host memory, without the object itself.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return blocks_.bytes() + live_.bytes() + (expandable_ ? sizeof(Expandable) : 0);
  }

 private:
  /// Parks a block: keeps it in no free set for a while, and does as if it were.
  friend class Arena;

  BlockIndex finish_allocation(BlockIndex index, std::uint64_t requested, bool was_split, bool splits,
                               std::uint64_t size_before);
  /// Merges a block that nobody uses any more with its free neighbours, and puts it in the free set.
  SplitChange merge_and_insert(BlockIndex index) noexcept;
  /// What a free does that makes one free block of `size` bytes out of the block and neighbours of `before`
  /// and `after` bytes.
  static SplitChange split_by_free(bool is_split, std::uint64_t size, std::uint64_t before,
                                   std::uint64_t after) noexcept;
  BlockIndex take(BlockIndex index, std::uint64_t size, std::uint64_t requested, bool splits);
  /// What only heaps with expandable segments need.
  struct Expandable {
    /// Free blocks of the small pool that are larger than its plain segments.
    LargeFreeSet wide;
    /// Blocks without memory, by address.
    std::array<std::map<std::uintptr_t, BlockIndex>, pool_kinds> unmapped;
  };

  [[nodiscard]] auto& unmapped(PoolKind kind) noexcept { return expandable_->unmapped[Counters::index(kind)]; }
  [[nodiscard]] BlockIndex next_free(BlockIndex index) const;
  [[nodiscard]] std::uint64_t expandable_size(BlockIndex index) const noexcept;
  [[nodiscard]] BlockIndex replace_expandable(BlockIndex best, const SplitPolicy& policy) const;
  [[nodiscard]] bool has_room(BlockIndex index, std::uint64_t size) const noexcept;
  /// A new block of an expandable segment between `index`, which must end where it
  /// begins, and the one after.
  BlockIndex insert_after(BlockIndex index, std::uint64_t size);
  void absorb_unmapped(BlockIndex index, BlockIndex neighbour) noexcept;
  /// Makes `neighbour`, which is in no set, part of the block.
  void absorb(BlockIndex index, BlockIndex neighbour) noexcept;
  /// Cuts the low `size` bytes off a block as a new one; the rest goes to the free set.
  BlockIndex split(BlockIndex index, std::uint64_t size);
  /// The same for a block in no set; the rest is in none either.
  BlockIndex cut_low(BlockIndex index, std::uint64_t size);
  void insert_free(BlockIndex index) noexcept;
  void erase_free(BlockIndex index) noexcept;
  /// Size of the neighbour that was merged into the block; 0 when it cannot be.
  std::uint64_t merge(BlockIndex index, BlockIndex neighbour) noexcept;
  [[nodiscard]] std::uint64_t searches(PoolKind kind) const noexcept { return pool_->searches[Counters::index(kind)]; }

  Counters own_counters_;  ///< unused where they are shared
  Pool* pool_ = nullptr;
  BlockStore blocks_;
  PointerMap live_;
  StreamUses uses_;
  SmallFreeSet small_;
  LargeFreeSet large_;
  std::unique_ptr<Expandable> expandable_;  ///< null until there is an expandable segment
};

}  // namespace gpucheck::runtime::detail
