#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "device/handles.hpp"
#include "runtime/allocator/snapshot.hpp"
#include "runtime/caching/detail/block.hpp"
#include "runtime/caching/detail/counters.hpp"
#include "runtime/caching/detail/large_free_set.hpp"
#include "runtime/caching/detail/pointer_map.hpp"
#include "runtime/caching/detail/pool.hpp"
#include "runtime/caching/detail/small_free_set.hpp"
#include "runtime/caching/detail/spin_lock.hpp"
#include "runtime/caching/detail/stream_uses.hpp"

namespace gpucheck::runtime::detail {

/// All memory of one pool for one stream: a block is reused on its own stream and merged
/// inside its own segment only, so that nothing here concerns another arena. An arena is
/// never destroyed before its allocator. Every method needs `lock` held.
class alignas(128) Arena {
 public:
  explicit Arena(std::size_t number) noexcept : number_(number) {}

  SpinLock lock;
  Counters counters;

  /// Gives an arena without segments to a pool and a stream.
  void assign(Pool& pool, device::Stream stream) noexcept {
    pool_ = &pool;
    stream_ = stream;
  }
  /// Its position among the allocator's arenas.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] Pool& pool() const noexcept { return *pool_; }
  [[nodiscard]] device::Stream stream() const noexcept { return stream_; }
  [[nodiscard]] Block& operator[](BlockIndex index) noexcept { return blocks_[index]; }
  [[nodiscard]] const Block& operator[](BlockIndex index) const noexcept { return blocks_[index]; }

  /// A free block for a request of `rounded` bytes, left in the free set; no_block when
  /// none may serve.
  [[nodiscard]] BlockIndex find_fit(std::uint64_t rounded, const SplitPolicy& policy) const noexcept;
  struct HandedOut {
    BlockIndex index = no_block;
    bool over = false;  ///< some figure is past its allowance: the ledger has to settle it
  };
  /// Hands the free block out, split where it should be.
  HandedOut hand_out(BlockIndex index, std::uint64_t rounded, std::uint64_t requested, const SplitPolicy& policy);
  /// Hands out the first `size` bytes of a free block, whatever the policy.
  HandedOut carve(BlockIndex index, std::uint64_t size);
  /// A new segment, as one free block.
  BlockIndex add_segment(std::uintptr_t address, std::uint64_t size, PoolKind kind);
  /// Forgets a segment that is one block: free, or without memory.
  void remove_segment(BlockIndex index);

  // -- expandable segments: addresses that get memory from their beginning on ------------
  /// New reserved addresses, as one block without memory.
  void add_reservation(std::uintptr_t address, std::uint64_t size, PoolKind kind);
  /// Where `size` bytes fit at the lowest address of those that have no memory yet,
  /// counting the free block before them and what is free or without memory after them:
  /// the first block of that stretch. no_block when there is none.
  [[nodiscard]] BlockIndex find_room(PoolKind kind, std::uint64_t size) const;
  /// The first `size` bytes of a block without memory have got some: returns the free
  /// block that they now are part of.
  BlockIndex add_memory(BlockIndex index, std::uint64_t size);
  /// `range` of a free block has lost its memory: returns the block that it now is part
  /// of, which has a neighbour as long as the segment has memory.
  BlockIndex remove_memory(BlockIndex index, std::uintptr_t address, std::uint64_t size);

  /// The block in use that starts at `address`, if any.
  [[nodiscard]] PointerMap::Place find(std::uintptr_t address) const noexcept { return live_.find(blocks_, address); }
  [[nodiscard]] std::size_t live_count() const noexcept { return live_.size(); }
  /// The caller gave the block up; it is not reused before `finish_free`.
  void request_free(PointerMap::Place place) noexcept;
  /// Nobody uses the block any more: merges it with its free neighbours. Returns whether
  /// some figure is past its allowance.
  bool finish_free(BlockIndex index) noexcept;

  // -- a parked block: given up, and not merged yet since the same may be asked for next.
  // Everything but `park` and `take_parked` wants it merged first: `unpark`.
  /// As `finish_free`. All figures move at once; the block is parked where that is possible.
  bool park(BlockIndex index) noexcept;
  /// Hands the parked block out if it is what `find_fit` and `hand_out` would give after
  /// a merge; no_block otherwise.
  HandedOut take_parked(std::uint64_t rounded, std::uint64_t requested, const SplitPolicy& policy);
  void unpark() noexcept {
    if (parked_ != no_block) merge_parked();
  }

  StreamUses& uses() noexcept { return uses_; }
  [[nodiscard]] std::vector<BlockIndex> free_blocks(PoolKind kind) const {
    if (kind == PoolKind::large) return large_.in_order(blocks_);
    std::vector<BlockIndex> result = small_.in_order(blocks_);
    if (expandable_ != nullptr) std::ranges::copy(expandable_->wide.in_order(blocks_), std::back_inserter(result));
    return result;
  }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept;
  /// Some free block of at least `size` bytes, the best fit.
  [[nodiscard]] BlockIndex best_fit(PoolKind kind, std::uint64_t size) const noexcept {
    if (kind == PoolKind::large) return large_.best_fit(blocks_, size);
    const BlockIndex best = size <= small_segment_size ? small_.best_fit(blocks_, size) : no_block;
    return best != no_block || expandable_ == nullptr ? best : expandable_->wide.best_fit(blocks_, size);
  }
  /// First blocks of all segments; of an expandable one, of each stretch with memory.
  [[nodiscard]] std::vector<BlockIndex> segments() const;
  /// First block of the segment that a block is in.
  [[nodiscard]] BlockIndex first_of_segment(BlockIndex index) const noexcept;
  [[nodiscard]] BlockInfo info(BlockIndex index) const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept {
    return sizeof(*this) + blocks_.bytes() + live_.bytes() + (expandable_ ? sizeof(Expandable) : 0);
  }

 private:
  /// Bytes that are free behind the parked block.
  [[nodiscard]] std::uint64_t free_behind_parked() const noexcept;
  void merge_parked() noexcept;
  /// Whether the parked block, merged with `rest` bytes behind it, is the best fit for a
  /// request of its size, and would be split off again.
  [[nodiscard]] bool parked_fits_best(std::uint64_t rest, const SplitPolicy& policy) const;
  HandedOut finish_hand_out(BlockIndex index, std::uint64_t requested, bool was_split, bool splits,
                            std::uint64_t size_before);
  /// The figures of a free that made one free block of `size` bytes out of the block and
  /// neighbours of `before` and `after` bytes. Returns whether one is past its allowance.
  bool count_free(PoolKind kind, bool is_split, std::uint64_t size, std::uint64_t before, std::uint64_t after) noexcept;
  HandedOut take(BlockIndex index, std::uint64_t size, std::uint64_t requested, bool splits);
  /// What only arenas with expandable segments need.
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
  /// Both return whether some figure is past its allowance.
  bool count_hand_out(const Block& block) noexcept;
  bool count_split(PoolKind kind, bool was_split, bool splits, std::uint64_t size_before, std::uint64_t size) noexcept;

  std::size_t number_;
  Pool* pool_ = nullptr;
  device::Stream stream_;
  BlockStore blocks_;
  PointerMap live_;
  StreamUses uses_;
  SmallFreeSet small_;
  LargeFreeSet large_;
  BlockIndex parked_ = no_block;
  std::unique_ptr<Expandable> expandable_;  ///< null until there is an expandable segment
};

}  // namespace gpucheck::runtime::detail
