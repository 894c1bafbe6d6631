#include <algorithm>
#include <fmt/format.h>

#include "runtime/caching/detail/state.hpp"

namespace gpucheck::runtime {
namespace {

using detail::Arena;
using detail::Block;
using detail::BlockIndex;
using detail::BlockRef;
using detail::Pool;

/// Calls `visit(index)` for every block of one stretch of memory. Blocks may merge with
/// free neighbours meanwhile, but the one visited stays.
template <typename Visit>
void for_each_block(const Arena& arena, BlockIndex first, Visit&& visit) {
  for (BlockIndex index = first; index != detail::no_block && arena[index].mapped; index = arena[index].next) {
    visit(index);
  }
}

bool is_pending(const Block& block) { return !block.allocated && !block.is_free; }

PoolCheckpoint::Segment segment_of(const Arena& arena, BlockIndex first) {
  PoolCheckpoint::Segment segment{arena[first].address, {}};
  for_each_block(arena, first, [&](BlockIndex index) {
    if (is_pending(arena[index])) throw Error("Events should have synchronized when checkpointing block");
    segment.blocks.push_back({arena[index].size, arena[index].allocated});
  });
  return segment;
}

/// The first blocks of a pool's stretches of memory. Their order decides how high the
/// peaks of the statistics rise while one after the other is restored. PyTorch begins
/// with those in use, in the order of a hash of pointers; here, so that all machines
/// agree, stretches of few blocks come first.
std::vector<BlockRef> stretches(const Pool& pool) {
  std::vector<BlockRef> result;
  for (Arena* arena : pool.arenas) {
    for (const BlockIndex first : arena->segments()) result.push_back({arena, first});
  }
  const auto key = [](BlockRef first) {
    std::size_t blocks = 0;
    for_each_block(*first.arena, first.index, [&](BlockIndex) { ++blocks; });
    return std::pair(!first.block().allocated, blocks);
  };
  std::ranges::stable_sort(result, {}, key);
  return result;
}

}  // namespace

PoolCheckpoint CachingAllocator::State::checkpoint(PoolId id) {
  const Exclusive lock(*this, capture(MemoryCall::checkpoint_read));
  if (routings_.empty()) process_deferred();
  const Pool* pool = id.is_default() ? nullptr : find_pool(id);
  if (pool == nullptr) throw Error("Could not find pool of id");
  if (pool->use_count == 0) throw Error("Not expected to checkpoint freeable graph");
  PoolCheckpoint result{id, {}};
  for (const BlockRef first : stretches(*pool)) result.segments.push_back(segment_of(*first.arena, first.index));
  return result;
}

PoolRestoration CachingAllocator::State::restore(const PoolCheckpoint& checkpoint) {
  const Exclusive lock(*this, capture(MemoryCall::checkpoint_write));
  const Pool& pool = pool_to_restore(checkpoint);
  PoolRestoration result;
  free_all(pool, result);
  for (const PoolCheckpoint::Segment& segment : checkpoint.segments) {
    restore_segment(first_block_at(pool, segment.address), segment, result);
  }
  return result;
}

/// Refuses what could not be carried out to the end.
const CachingAllocator::State::Pool& CachingAllocator::State::pool_to_restore(const PoolCheckpoint& checkpoint) {
  const Pool* pool = checkpoint.pool.is_default() ? nullptr : find_pool(checkpoint.pool);
  if (pool == nullptr) throw Error("Could not find private pool id");
  if (pool->use_count == 0) throw Error("Not expected to checkpoint freeable graph");
  for (const BlockRef first : stretches(*pool)) {
    for_each_block(*first.arena, first.index, [&](BlockIndex index) {
      const Block& block = (*first.arena)[index];
      if (is_pending(block) || block.uses != 0) {
        throw Error("Events should have synchronized when setting checkpointed block");
      }
    });
  }
  for (const PoolCheckpoint::Segment& segment : checkpoint.segments) {
    const BlockRef first = first_block_at(*pool, segment.address);
    const bool whole = first && segment_info(*first.arena, first.index).total_size >= segment.bytes();
    if (!whole) throw Error(fmt::format("Segment of the checkpoint could not find {:#x}", segment.address));
  }
  return *pool;
}

CachingAllocator::State::BlockRef CachingAllocator::State::first_block_at(const Pool& pool, std::uintptr_t address) {
  for (const BlockRef first : stretches(pool)) {
    if (first.block().address == address) return first;
  }
  return {};
}

void CachingAllocator::State::free_all(const Pool& pool, PoolRestoration& result) {
  for (const BlockRef first : stretches(pool)) {
    for_each_block(*first.arena, first.index, [&](BlockIndex index) {
      const Block& block = (*first.arena)[index];
      if (!block.allocated) return;
      result.freed.push_back(reinterpret_cast<void*>(block.address));
      give_up({first.arena, index});
    });
  }
}

/// Hands out all its blocks in order, then takes back those that were free.
void CachingAllocator::State::restore_segment(BlockRef first, const PoolCheckpoint::Segment& segment,
                                              PoolRestoration& result) {
  Arena& arena = *first.arena;
  std::vector<BlockIndex> carved;
  BlockIndex rest = first.index;
  for (const PoolCheckpoint::Block& block : segment.blocks) {
    const Arena::HandedOut handed = arena.carve(rest, block.size);
    account(arena, handed, block.size);
    carved.push_back(handed.index);
    rest = arena[handed.index].next;
  }
  for (std::size_t i = 0; i < carved.size(); ++i) {
    if (segment.blocks[i].allocated) {
      result.live.push_back(reinterpret_cast<void*>(arena[carved[i]].address));
    } else {
      give_up({&arena, carved[i]});
    }
  }
}

}  // namespace gpucheck::runtime
