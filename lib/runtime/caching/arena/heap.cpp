#include "runtime/caching/arena/heap.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpucheck::runtime::detail {
namespace {

std::int64_t signed_size(std::uint64_t size) noexcept { return static_cast<std::int64_t>(size); }

SplitChange split_by_allocation(bool was_split, bool splits, std::uint64_t size_before, std::uint64_t size) noexcept {
  if (was_split) return {splits ? 0 : -1, -signed_size(size)};
  return splits ? SplitChange{1, signed_size(size_before - size)} : SplitChange{};
}

}  // namespace

BlockIndex Heap::find_fit(std::uint64_t rounded, const SplitPolicy& policy) const noexcept {
  BlockIndex best = best_fit(kind_of(rounded), rounded);
  if (best != no_block && blocks_[best].expandable) best = replace_expandable(best, policy);
  return best != no_block && may_serve(blocks_[best].size, rounded, policy) ? best : no_block;
}

BlockIndex Heap::finish_allocation(BlockIndex index, std::uint64_t requested, bool was_split, bool splits,
                                   std::uint64_t size_before) {
  Block& block = blocks_[index];
  block.allocated = true;
  block.requested = requested;
  live_.insert(blocks_, index);
  // What is inactive in an expandable segment can be unmapped: it does not count.
  const SplitChange split =
      block.expandable ? SplitChange{} : split_by_allocation(was_split, splits, size_before, block.size);
  counters.add_block(block.kind, signed_size(block.size), signed_size(requested), split);
  return index;
}

inline BlockIndex Heap::take(BlockIndex index, std::uint64_t size, std::uint64_t requested, bool splits) {
  const std::uint64_t size_before = blocks_[index].size;
  const bool was_split = blocks_[index].is_split();
  erase_free(index);
  return finish_allocation(splits ? split(index, size) : index, requested, was_split, splits, size_before);
}

/// Flattened, as `finish_free` is: the calls of what they consist of would cost as much as the work.
[[gnu::flatten]] BlockIndex Heap::allocate(BlockIndex index, std::uint64_t rounded, std::uint64_t requested,
                                           const SplitPolicy& policy) {
  const Block& block = blocks_[index];
  const bool splits = !pool_->options.no_split && should_split(block.kind, block.size, rounded, policy);
  return take(index, rounded, requested, splits);
}

BlockIndex Heap::carve(BlockIndex index, std::uint64_t size) {
  return take(index, size, size, blocks_[index].size > size);
}

BlockIndex Heap::split(BlockIndex index, std::uint64_t size) {
  const BlockIndex low = cut_low(index, size);
  insert_free(index);
  return low;
}

BlockIndex Heap::cut_low(BlockIndex index, std::uint64_t size) {
  const BlockIndex low = blocks_.make();
  Block& rest = blocks_[index];
  Block& block = blocks_[low];
  block.address = rest.address;
  block.size = size;
  block.kind = rest.kind;
  block.expandable = rest.expandable;
  block.previous = rest.previous;
  block.next = index;
  if (rest.previous != no_block) blocks_[rest.previous].next = low;
  rest.previous = low;
  rest.address += size;
  rest.size -= size;
  return low;
}

void Heap::insert_free(BlockIndex index) noexcept {
  Block& block = blocks_[index];
  block.searches_at_insertion = searches(block.kind);
  block.is_free = true;
  if (block.kind == PoolKind::large) {
    large_.insert(blocks_, index);
  } else if (block.size <= small_segment_size) {
    small_.insert(blocks_, index);
  } else {
    expandable_->wide.insert(blocks_, index);
  }
}

void Heap::erase_free(BlockIndex index) noexcept {
  Block& block = blocks_[index];
  block.is_free = false;
  if (block.kind == PoolKind::large) {
    large_.erase(blocks_, index);
  } else if (block.size <= small_segment_size) {
    small_.erase(blocks_, index);
  } else {
    expandable_->wide.erase(blocks_, index);
  }
}

BlockIndex Heap::add_segment(std::uintptr_t address, std::uint64_t size, PoolKind kind) {
  const BlockIndex index = blocks_.make();
  Block& block = blocks_[index];
  block.address = address;
  block.size = size;
  block.kind = kind;
  insert_free(index);
  return index;
}

void Heap::remove_segment(BlockIndex index) {
  if (blocks_[index].mapped) {
    erase_free(index);
  } else {
    unmapped(blocks_[index].kind).erase(blocks_[index].address);
  }
  blocks_.release(index);
}

void Heap::request_free(PointerMap::Place place) noexcept {
  Block& block = blocks_[place.index];
  live_.erase(place);
  block.allocated = false;
}

[[gnu::flatten]] void Heap::finish_free(BlockIndex index) noexcept {
  const Block& block = blocks_[index];
  const std::int64_t size = signed_size(block.size);
  const SplitChange split = merge_and_insert(index);
  counters.remove_block(block.kind, size, signed_size(block.requested), split);
}

SplitChange Heap::merge_and_insert(BlockIndex index) noexcept {
  const Block& block = blocks_[index];
  const std::uint64_t before = merge(index, block.previous);
  const std::uint64_t after = merge(index, block.next);
  insert_free(index);
  return block.expandable ? SplitChange{} : split_by_free(block.is_split(), block.size, before, after);
}

SplitChange Heap::split_by_free(bool is_split, std::uint64_t size, std::uint64_t before, std::uint64_t after) noexcept {
  return {(is_split ? 1 : 0) - (before > 0 ? 1 : 0) - (after > 0 ? 1 : 0),
          signed_size((is_split ? size : 0) - before - after)};
}

std::uint64_t Heap::merge(BlockIndex index, BlockIndex neighbour) noexcept {
  if (neighbour == no_block || !blocks_[neighbour].is_free) return 0;
  const std::uint64_t size = blocks_[neighbour].size;
  erase_free(neighbour);
  absorb(index, neighbour);
  return size;
}

void Heap::absorb(BlockIndex index, BlockIndex neighbour) noexcept {
  Block& block = blocks_[index];
  Block& other = blocks_[neighbour];
  if (block.previous == neighbour) {
    block.address = other.address;
    block.previous = other.previous;
    if (block.previous != no_block) blocks_[block.previous].next = index;
  } else {
    block.next = other.next;
    if (block.next != no_block) blocks_[block.next].previous = index;
  }
  block.size += other.size;
  block.is_merged = true;
  blocks_.release(neighbour);
}

std::vector<StreamUse> Heap::begin_pending_free(PointerMap::Place place) {
  Block& block = blocks_[place.index];
  std::vector<StreamUse> streams = uses_.take(std::exchange(block.uses, 0));
  request_free(place);
  counters.begin_pending_free(block.kind, signed_size(block.size));
  return streams;
}

void Heap::finish_pending_free(BlockIndex index) noexcept {
  const Block& block = blocks_[index];
  const std::int64_t size = signed_size(block.size);
  const SplitChange split = merge_and_insert(index);
  counters.end_pending_free(block.kind, size, signed_size(block.requested), split);
}

std::vector<BlockIndex> Heap::free_blocks(PoolKind kind) const {
  if (kind == PoolKind::large) return large_.in_order(blocks_);
  std::vector<BlockIndex> result = small_.in_order(blocks_);
  if (expandable_ != nullptr) std::ranges::copy(expandable_->wide.in_order(blocks_), std::back_inserter(result));
  return result;
}

std::uint64_t Heap::free_bytes() const noexcept {
  std::uint64_t total = 0;
  for (BlockIndex index = 1; index < blocks_.end(); ++index) {
    if (blocks_[index].is_free) total += blocks_[index].size;
  }
  return total;
}

std::vector<BlockIndex> Heap::segments() const {
  std::vector<BlockIndex> result;
  for (BlockIndex index = 1; index < blocks_.end(); ++index) {
    const Block& block = blocks_[index];
    const bool is_first = block.previous == no_block || !blocks_[block.previous].mapped;
    if (block.size > 0 && block.mapped && is_first) result.push_back(index);
  }
  return result;
}

BlockIndex Heap::first_of_segment(BlockIndex index) const noexcept {
  while (blocks_[index].previous != no_block) index = blocks_[index].previous;
  return index;
}

BlockInfo Heap::info(BlockIndex index) const noexcept {
  const Block& block = blocks_[index];
  const BlockState state = block.allocated ? BlockState::active_allocated
                           : block.is_free ? BlockState::inactive
                                           : BlockState::active_pending_free;
  return {block.address, block.size, block.requested, state};
}

}  // namespace gpucheck::runtime::detail
