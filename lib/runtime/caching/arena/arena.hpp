#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/values/handles.hpp"
#include "runtime/caching/arena/arena_lock.hpp"
#include "runtime/caching/arena/heap.hpp"
#include "runtime/caching/counters/change_log.hpp"

namespace gpucheck::runtime::detail {

/// All memory of one pool for one stream: a block is reused on its own stream. An arena is never
/// destroyed before its allocator. Every method needs `lock` held or closed.
///
/// The block freed last may be *parked*: it is neither in use nor in the free set, and not merged
/// with its neighbours, since a block of its size may be asked for next. Merging it with what is
/// free behind it and cutting it off again is most of the work of both calls. A parked block
/// shows in nothing: the counters have moved when it was freed, and all that depends on the
/// free set is in the heap, which only `unpark` gives access to.
class alignas(128) Arena {
 public:
  explicit Arena(std::size_t number) noexcept : number_(number) {}
  /// One that counts in `shared`: see ArenaTable::confine_to_one_thread.
  Arena(std::size_t number, Counters& shared) noexcept : number_(number), heap_(shared) {}

  ArenaLock lock;
  /// One is written while the other is settled. Made when they are needed first; guarded by Turns' mutex.
  std::array<std::unique_ptr<ChangeLog>, 2> logs;

  /// Gives an arena without segments to a pool and a stream.
  void assign(Pool& pool, device::Stream stream) noexcept {
    heap_.assign(pool);
    stream_ = stream;
  }
  /// Its position among the allocator's arenas.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] Pool& pool() const noexcept { return heap_.pool(); }
  [[nodiscard]] device::Stream stream() const noexcept { return stream_; }
  [[nodiscard]] Counters& counters() noexcept { return heap_.counters; }

  /// The blocks, none of them parked. The reference is good until the next `allocate` or `free`
  /// of the arena, or until the lock is released.
  [[nodiscard]] Heap& unpark() noexcept {
    if (parked_ != no_block) merge_parked();
    return heap_;
  }

  // -- what need not unpark: blocks in use are the same with a parked one or without -------
  /// A free block for a request; no_block when none may serve, or one that counts as oversize.
  BlockIndex allocate(std::uint64_t rounded, std::uint64_t requested, const SplitPolicy& policy);
  /// The block in use that starts at `address`, if any.
  [[nodiscard]] PointerMap::Place find(std::uintptr_t address) const noexcept { return heap_.find(address); }
  /// The block in use at a place that `find` gave.
  [[nodiscard]] const Block& in_use(PointerMap::Place place) const noexcept { return heap_[place.index]; }
  [[nodiscard]] std::uintptr_t address_of(BlockIndex index) const noexcept { return heap_[index].address; }
  /// Frees a block that no other stream uses, and parks it where that is possible.
  void free(PointerMap::Place place) noexcept {
    heap_.request_free(place);
    park(place.index);
  }
  void add_use(PointerMap::Place place, const StreamUse& use) { heap_.add_use(place.index, use); }

  [[nodiscard]] std::size_t bytes() const noexcept {
    return sizeof(*this) + heap_.bytes() + (logs[0] ? logs.size() * sizeof(ChangeLog) : 0);
  }

 private:
  /// As `Heap::finish_free`. All counters move at once.
  void park(BlockIndex index) noexcept;
  /// The parked block if it is what `find_fit` and `allocate` of the heap would give after a
  /// merge; no_block otherwise.
  BlockIndex allocate_parked(std::uint64_t rounded, std::uint64_t requested, const SplitPolicy& policy);
  void merge_parked() noexcept;
  /// Bytes that are free behind the parked block.
  [[nodiscard]] std::uint64_t free_behind_parked() const noexcept;
  /// Whether the parked block, merged with `rest` bytes behind it, is the best fit for a
  /// request of its size, and would be split off again.
  [[nodiscard]] bool parked_fits_best(std::uint64_t rest, const SplitPolicy& policy) const;

  std::size_t number_;
  device::Stream stream_;
  BlockIndex parked_ = no_block;
  Heap heap_;
};

/// A block, wherever it is. Needs its arena's lock held or closed.
struct BlockRef {
  Arena* arena = nullptr;
  BlockIndex index = no_block;
  [[nodiscard]] Heap& heap() const noexcept { return arena->unpark(); }
  [[nodiscard]] Block& block() const noexcept { return heap()[index]; }
  explicit operator bool() const noexcept { return index != no_block; }
};

}  // namespace gpucheck::runtime::detail
