#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "runtime/caching/state.hpp"

namespace gpucheck::runtime {
namespace {

using detail::Arena;
using detail::Block;
using detail::BlockIndex;
using detail::BlockRef;
using detail::Exclusive;
using detail::Heap;
using detail::Pool;
using State = CachingAllocator::State;

/// Calls `visit(index)` for every block of one range of memory. Blocks may merge with
/// free neighbours meanwhile, but the one visited stays.
template <typename Visit>
void for_each_block(BlockRef first, Visit&& visit) {
  const Heap& heap = first.heap();
  for (BlockIndex index = first.index; index != detail::no_block && heap[index].mapped; index = heap[index].next) {
    visit(index);
  }
}

bool is_pending(const Block& block) { return !block.allocated && !block.is_free; }

PoolCheckpoint::Segment segment_of(BlockRef first) {
  const Heap& heap = first.heap();
  PoolCheckpoint::Segment segment{heap[first.index].address, {}};
  for_each_block(first, [&](BlockIndex index) {
    if (is_pending(heap[index])) throw Error("Events should have synchronized when checkpointing block");
    segment.blocks.push_back({heap[index].size, heap[index].allocated});
  });
  return segment;
}

/// The first blocks of a pool's ranges of memory. Their order decides how high the
/// peaks of the statistics rise while one after the other is restored. PyTorch begins
/// with those in use, in the order of a hash of pointers; here, so that all machines
/// agree, ranges of few blocks come first.
std::vector<BlockRef> ranges_of(const Pool& pool) {
  std::vector<BlockRef> result;
  for (Arena* arena : pool.arenas) {
    for (const BlockIndex first : arena->unpark().segments()) result.push_back({arena, first});
  }
  const auto key = [](BlockRef first) {
    std::size_t blocks = 0;
    for_each_block(first, [&](BlockIndex) { ++blocks; });
    return std::pair(!first.block().allocated, blocks);
  };
  std::ranges::stable_sort(result, {}, key);
  return result;
}

BlockRef range_at(const Pool& pool, std::uintptr_t address) {
  for (const BlockRef first : ranges_of(pool)) {
    if (first.block().address == address) return first;
  }
  return {};
}

/// Rejects what could not be carried out to the end.
const Pool& pool_to_restore(State& state, const PoolCheckpoint& checkpoint) {
  const Pool* pool = state.pools.find_private(checkpoint.pool);
  if (pool == nullptr) throw Error("Could not find private pool id");
  if (pool->use_count == 0) throw Error("Not expected to checkpoint freeable graph");
  for (const BlockRef first : ranges_of(*pool)) {
    for_each_block(first, [&](BlockIndex index) {
      const Block& block = first.heap()[index];
      if (is_pending(block) || block.uses != 0) {
        throw Error("Events should have synchronized when setting checkpointed block");
      }
    });
  }
  for (const PoolCheckpoint::Segment& segment : checkpoint.segments) {
    const BlockRef first = range_at(*pool, segment.address);
    const bool whole =
        first && detail::segment_info(*first.arena, first.heap(), first.index).total_size >= segment.bytes();
    if (!whole) throw Error(fmt::format("Segment of the checkpoint could not find {:#x}", segment.address));
  }
  return *pool;
}

/// Frees a block that no other stream uses.
void free_unused(State& state, BlockRef ref) {
  state.statistics.admit_closed(*ref.arena);
  static_cast<void>(state.free_block(*ref.arena, ref.arena->find(ref.block().address)));
}

void free_all(State& state, const Pool& pool, PoolRestoration& result) {
  for (const BlockRef first : ranges_of(pool)) {
    for_each_block(first, [&](BlockIndex index) {
      const Block& block = first.heap()[index];
      if (!block.allocated) return;
      result.freed.push_back(reinterpret_cast<void*>(block.address));
      free_unused(state, {first.arena, index});
    });
  }
}

/// Allocates all its blocks in order, then frees those that were free.
void restore_segment(State& state, BlockRef first, const PoolCheckpoint::Segment& segment, PoolRestoration& result) {
  Arena& arena = *first.arena;
  Heap& heap = arena.unpark();
  std::vector<BlockIndex> carved;
  BlockIndex rest = first.index;
  for (const PoolCheckpoint::Block& block : segment.blocks) {
    state.statistics.admit_closed(arena);
    const BlockIndex index = heap.carve(rest, block.size);
    state.count_allocation(arena, heap[index], block.size);
    carved.push_back(index);
    rest = heap[index].next;
  }
  for (std::size_t i = 0; i < carved.size(); ++i) {
    if (segment.blocks[i].allocated) {
      result.live.push_back(reinterpret_cast<void*>(heap[carved[i]].address));
    } else {
      free_unused(state, {&arena, carved[i]});
    }
  }
}

}  // namespace

PoolCheckpoint CachingAllocator::checkpoint(PoolId id) {
  const CallContext context = state_->recording.context_of(MemoryCall::checkpoint_read);
  const Exclusive lock(state_->locks, context);
  if (!state_->pools.is_routing()) state_->waiting_frees.process_deferred();
  const Pool* pool = state_->pools.find_private(id);
  if (pool == nullptr) throw Error("Could not find pool of id");
  if (pool->use_count == 0) throw Error("Not expected to checkpoint freeable graph");
  PoolCheckpoint result{id, {}};
  for (const BlockRef first : ranges_of(*pool)) result.segments.push_back(segment_of(first));
  return result;
}

PoolRestoration CachingAllocator::restore(const PoolCheckpoint& checkpoint) {
  const CallContext context = state_->recording.context_of(MemoryCall::checkpoint_write);
  const Exclusive lock(state_->locks, context);
  const Pool& pool = pool_to_restore(*state_, checkpoint);
  PoolRestoration result;
  free_all(*state_, pool, result);
  for (const PoolCheckpoint::Segment& segment : checkpoint.segments) {
    restore_segment(*state_, range_at(pool, segment.address), segment, result);
  }
  return result;
}

}  // namespace gpucheck::runtime
