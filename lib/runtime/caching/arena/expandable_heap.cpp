#include "runtime/caching/arena/heap.hpp"

// A heap's share in expandable segments; which pages have memory, ExpandableSegments decides.
namespace gpucheck::runtime::detail {

BlockIndex Heap::next_free(BlockIndex index) const {
  const Block& block = blocks_[index];
  if (block.kind == PoolKind::large) return large_.after(blocks_, index);
  if (block.size > small_segment_size) return expandable_->wide.after(blocks_, index);
  const BlockIndex next = small_.after(blocks_, index);
  return next != no_block || expandable_ == nullptr ? next : expandable_->wide.best_fit(blocks_, small_segment_size);
}

/// The last free block of an expandable segment counts with what it can grow to.
std::uint64_t Heap::expandable_size(BlockIndex index) const noexcept {
  const Block& block = blocks_[index];
  const bool grows = block.next != no_block && !blocks_[block.next].mapped;
  return block.size + (grows ? blocks_[block.next].size : 0);
}

/// The block to take when the best fit belongs to an expandable segment: with these in
/// use, one behind it in order as long as that can grow less; otherwise a plain one.
BlockIndex Heap::replace_expandable(BlockIndex best, const SplitPolicy& policy) const {
  if (!policy.expandable_segments) {
    while (best != no_block && blocks_[best].expandable) best = next_free(best);
    return best;
  }
  while (blocks_[best].expandable) {
    // Nothing behind a block that cannot grow is smaller than it.
    if (expandable_size(best) == blocks_[best].size) break;
    const BlockIndex next = next_free(best);
    if (next == no_block || expandable_size(next) >= expandable_size(best)) break;
    best = next;
  }
  return best;
}

void Heap::add_reservation(std::uintptr_t address, std::uint64_t size, PoolKind kind) {
  if (expandable_ == nullptr) expandable_ = std::make_unique<Expandable>();
  const BlockIndex index = blocks_.make();
  Block& block = blocks_[index];
  block.address = address;
  block.size = size;
  block.kind = kind;
  block.expandable = true;
  block.mapped = false;
  unmapped(kind).emplace(address, index);
}

BlockIndex Heap::find_room(PoolKind kind, std::uint64_t size) const {
  if (expandable_ == nullptr) return no_block;
  for (const auto& [address, index] : expandable_->unmapped[Counters::index(kind)]) {
    const BlockIndex before = blocks_[index].previous;
    const BlockIndex first = before != no_block && blocks_[before].is_available() ? before : index;
    if (has_room(first, size)) return first;
  }
  return no_block;
}

bool Heap::has_room(BlockIndex index, std::uint64_t size) const noexcept {
  std::uint64_t room = 0;
  while (room < size && index != no_block && blocks_[index].is_available()) {
    room += blocks_[index].size;
    index = blocks_[index].next;
  }
  return room >= size;
}

BlockIndex Heap::insert_after(BlockIndex index, std::uint64_t size) {
  const BlockIndex added = blocks_.make();
  Block& before = blocks_[index];
  Block& block = blocks_[added];
  block.address = before.address + before.size;
  block.size = size;
  block.kind = before.kind;
  block.expandable = true;
  block.previous = index;
  block.next = before.next;
  if (block.next != no_block) blocks_[block.next].previous = added;
  before.next = added;
  return added;
}

BlockIndex Heap::add_memory(BlockIndex index, std::uint64_t size) {
  const PoolKind kind = blocks_[index].kind;
  unmapped(kind).erase(blocks_[index].address);
  const std::uint64_t rest = blocks_[index].size - size;
  blocks_[index].size = size;
  blocks_[index].mapped = true;
  if (rest > 0) {
    const BlockIndex still_unmapped = insert_after(index, rest);
    blocks_[still_unmapped].mapped = false;
    unmapped(kind).emplace(blocks_[still_unmapped].address, still_unmapped);
  }
  merge(index, blocks_[index].previous);
  merge(index, blocks_[index].next);
  insert_free(index);
  return index;
}

BlockIndex Heap::remove_memory(BlockIndex index, std::uintptr_t address, std::uint64_t size) {
  erase_free(index);
  const std::uint64_t before = address - blocks_[index].address;
  const std::uint64_t after = blocks_[index].size - before - size;
  // The block itself is the part that loses its memory: what was last asked for of it is
  // shown again should it come back.
  if (before > 0) insert_free(cut_low(index, before));
  blocks_[index].size = size;
  if (after > 0) insert_free(insert_after(index, after));
  blocks_[index].mapped = false;
  absorb_unmapped(index, blocks_[index].previous);
  absorb_unmapped(index, blocks_[index].next);
  unmapped(blocks_[index].kind).emplace(blocks_[index].address, index);
  return index;
}

void Heap::absorb_unmapped(BlockIndex index, BlockIndex neighbour) noexcept {
  if (neighbour == no_block || blocks_[neighbour].mapped) return;
  unmapped(blocks_[neighbour].kind).erase(blocks_[neighbour].address);
  absorb(index, neighbour);
}

}  // namespace gpucheck::runtime::detail
