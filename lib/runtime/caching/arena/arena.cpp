#include <utility>

#include "runtime/caching/detail/arena.hpp"

// A program that frees a block often asks for one of the same size at once. Merging the
// block with what is free behind it and cutting it off again is most of the work of
// both calls: a parked block saves it, with the same decisions and the same figures.
namespace gpucheck::runtime::detail {

bool Arena::park(BlockIndex index) noexcept {
  unpark();
  const Block& block = blocks_[index];
  const bool merges_before = block.previous != no_block && blocks_[block.previous].is_free;
  if (merges_before || block.expandable) return finish_free(index);
  counters.decrease(block.kind, requested_bytes, static_cast<std::int64_t>(block.requested));
  parked_ = index;
  if (block.next == no_block || !blocks_[block.next].is_free) {
    return count_free(block.kind, block.is_split(), block.size, 0, 0);
  }
  const Block& rest = blocks_[block.next];
  const bool is_split = block.previous != no_block || rest.next != no_block;
  return count_free(block.kind, is_split, block.size + rest.size, 0, rest.size);
}

void Arena::merge_parked() noexcept {
  const BlockIndex index = std::exchange(parked_, no_block);
  merge(index, blocks_[index].next);
  insert_free(index);
}

bool Arena::parked_fits_best(std::uint64_t rest, const SplitPolicy& policy) const {
  const Block& block = blocks_[parked_];
  const std::uint64_t merged = block.size + rest;
  if (policy.expandable_segments || !may_serve(merged, block.size, policy)) return false;
  const bool splits = !pool_->options.no_split && should_split(block.kind, merged, block.size, policy);
  if (rest > 0 && !splits) return false;
  BlockIndex rival = best_fit(block.kind, block.size);
  if (rest > 0 && rival == block.next) rival = next_free(rival);
  if (rival == no_block) return true;
  const Block& other = blocks_[rival];
  return !other.expandable && std::pair(merged, block.address) < std::pair(other.size, other.address);
}

std::uint64_t Arena::free_behind_parked() const noexcept {
  const BlockIndex behind = blocks_[parked_].next;
  return behind != no_block && blocks_[behind].is_free ? blocks_[behind].size : 0;
}

Arena::HandedOut Arena::take_parked(std::uint64_t rounded, std::uint64_t requested, const SplitPolicy& policy) {
  if (parked_ == no_block || blocks_[parked_].size != rounded) return {};
  const std::uint64_t rest = free_behind_parked();
  if (!parked_fits_best(rest, policy)) return {};
  const BlockIndex index = std::exchange(parked_, no_block);
  Block& block = blocks_[index];
  bool was_split = block.is_split();
  if (rest > 0) {
    Block& behind = blocks_[block.next];
    was_split = block.previous != no_block || behind.next != no_block;
    behind.requested = block.requested;
    behind.is_merged = true;
    behind.searches_at_insertion = pool_->searches[Counters::index(block.kind)];
    block.is_merged = false;
  }
  return finish_hand_out(index, requested, was_split, rest > 0, block.size + rest);
}

}  // namespace gpucheck::runtime::detail
