#include "runtime/caching/arena/arena.hpp"

#include <utility>

namespace gpucheck::runtime::detail {

BlockIndex Arena::allocate(std::uint64_t rounded, std::uint64_t requested, const SplitPolicy& policy) {
  const BlockIndex parked = allocate_parked(rounded, requested, policy);
  if (parked != no_block) return parked;
  Heap& heap = unpark();
  const BlockIndex fit = heap.find_fit(rounded, policy);
  if (fit == no_block || heap[fit].size >= policy.max_split_size) return no_block;
  return heap.allocate(fit, rounded, requested, policy);
}

void Arena::park(BlockIndex index) noexcept {
  Heap& heap = unpark();
  Block& block = heap[index];
  const bool merges_before = block.previous != no_block && heap[block.previous].is_free;
  if (merges_before || block.expandable) return heap.finish_free(index);
  block.searches_at_insertion = heap.searches(block.kind);
  parked_ = index;
  std::uint64_t rest = 0;
  bool is_split = block.is_split();
  if (block.next != no_block && heap[block.next].is_free) {
    const Block& behind = heap[block.next];
    rest = behind.size;
    is_split = block.previous != no_block || behind.next != no_block;
  }
  heap.counters.remove_block(block.kind, static_cast<std::int64_t>(block.size),
                             static_cast<std::int64_t>(block.requested),
                             Heap::split_by_free(is_split, block.size + rest, 0, rest));
}

void Arena::merge_parked() noexcept {
  const BlockIndex index = std::exchange(parked_, no_block);
  // It became free when it was parked, and has that age.
  const std::uint64_t searches = heap_[index].searches_at_insertion;
  heap_.merge(index, heap_[index].next);
  heap_.insert_free(index);
  heap_[index].searches_at_insertion = searches;
}

bool Arena::parked_fits_best(std::uint64_t rest, const SplitPolicy& policy) const {
  const Block& block = heap_[parked_];
  const std::uint64_t merged = block.size + rest;
  if (policy.expandable_segments || !may_serve(merged, block.size, policy)) return false;
  const bool splits = !pool().options.no_split && should_split(block.kind, merged, block.size, policy);
  if (rest > 0 && !splits) return false;
  BlockIndex rival = heap_.best_fit(block.kind, block.size);
  if (rest > 0 && rival == block.next) rival = heap_.next_free(rival);
  if (rival == no_block) return true;
  const Block& other = heap_[rival];
  return !other.expandable && std::pair(merged, block.address) < std::pair(other.size, other.address);
}

std::uint64_t Arena::free_behind_parked() const noexcept {
  const BlockIndex behind = heap_[parked_].next;
  return behind != no_block && heap_[behind].is_free ? heap_[behind].size : 0;
}

BlockIndex Arena::allocate_parked(std::uint64_t rounded, std::uint64_t requested, const SplitPolicy& policy) {
  if (parked_ == no_block || heap_[parked_].size != rounded) return no_block;
  const std::uint64_t rest = free_behind_parked();
  if (!parked_fits_best(rest, policy)) return no_block;
  const BlockIndex index = std::exchange(parked_, no_block);
  Block& block = heap_[index];
  bool was_split = block.is_split();
  if (rest > 0) {
    Block& behind = heap_[block.next];
    was_split = block.previous != no_block || behind.next != no_block;
    behind.requested = block.requested;
    behind.is_merged = true;
    behind.searches_at_insertion = heap_.searches(block.kind);
    block.is_merged = false;
  }
  return heap_.finish_allocation(index, requested, was_split, rest > 0, block.size + rest);
}

}  // namespace gpucheck::runtime::detail
