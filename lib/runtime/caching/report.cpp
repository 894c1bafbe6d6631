#include <algorithm>
#include <fmt/format.h>

#include "runtime/caching/state.hpp"

namespace gpucheck::runtime {

using detail::Arena;
using detail::BlockIndex;
using detail::BlockRef;
using detail::Exclusive;
using detail::Heap;

SegmentInfo detail::segment_info(const Arena& arena, const Heap& heap, BlockIndex first) {
  SegmentInfo segment;
  segment.address = heap[first].address;
  segment.stream = arena.stream();
  segment.is_large = heap[first].kind == PoolKind::large;
  segment.pool = arena.pool().id;
  segment.was_split = heap[first].is_split() || heap[first].is_merged;
  segment.is_expandable = heap[first].expandable;
  for (BlockIndex index = first; index != no_block && heap[index].mapped; index = heap[index].next) {
    const BlockInfo block = heap.info(index);
    segment.total_size += block.size;
    if (block.state == BlockState::active_allocated) segment.allocated_size += block.size;
    if (block.state != BlockState::inactive) {
      segment.active_size += block.size;
      segment.requested_size += block.requested_size;
    }
    segment.blocks.push_back(block);
  }
  return segment;
}

std::vector<SegmentInfo> CachingAllocator::State::segments_in(std::optional<PoolId> only) const {
  std::vector<SegmentInfo> result;
  for (const auto& arena : arenas.all()) {
    const Heap& heap = arena->unpark();
    for (const BlockIndex first : heap.segments()) {
      if (!only || arena->pool().id == *only) result.push_back(detail::segment_info(*arena, heap, first));
    }
  }
  std::ranges::sort(result, {}, &SegmentInfo::address);
  return result;
}

MemoryStatistics CachingAllocator::stats() const {
  const Exclusive lock(state_->locks);
  return state_->statistics.report();
}

DeviceAllocator::LiveAllocations CachingAllocator::live_allocations() const {
  const MemoryStatistics now = stats();
  return {static_cast<std::uint64_t>(now.allocation.all.current),
          static_cast<std::uint64_t>(now.allocated_bytes.all.current)};
}

MemoryUsage CachingAllocator::usage() const {
  const Exclusive lock(state_->locks);
  return {static_cast<std::int64_t>(state_->statistics.allocated_bytes()),
          static_cast<std::int64_t>(state_->statistics.reserved_bytes())};
}

void CachingAllocator::reset_peak_stats() {
  const Exclusive lock(state_->locks);
  state_->statistics.reset_peaks();
}

void CachingAllocator::reset_accumulated_stats() {
  const Exclusive lock(state_->locks);
  state_->statistics.reset_accumulated();
}

std::vector<SegmentInfo> CachingAllocator::snapshot() const {
  const Exclusive lock(state_->locks);
  return state_->segments_in(std::nullopt);
}

std::vector<SegmentInfo> CachingAllocator::snapshot(PoolId pool) const {
  const Exclusive lock(state_->locks);
  return state_->segments_in(pool);
}

std::optional<BlockInfo> CachingAllocator::block_info(const void* pointer) const {
  const Exclusive lock(state_->locks);
  const BlockRef ref = state_->arenas.find_in_use(pointer);
  return ref ? std::optional(ref.heap().info(ref.index)) : std::nullopt;
}

CachingAllocator::BaseAllocation CachingAllocator::base_allocation(const void* pointer) const {
  const Exclusive lock(state_->locks);
  const BlockRef ref = state_->arenas.find_in_use(pointer);
  if (!ref) throw Error(fmt::format("invalid device pointer: {}", pointer));
  const Heap& heap = ref.heap();
  if (heap[ref.index].expandable) {
    throw Error(
        "A block of an expandable segment has no allocation of its own under it. Allocate what other "
        "processes shall see with expandable_segments:False.");
  }
  const SegmentInfo segment = detail::segment_info(*ref.arena, heap, heap.first_of_segment(ref.index));
  return {reinterpret_cast<void*>(segment.address), segment.total_size};
}

std::size_t CachingAllocator::bookkeeping_bytes() const {
  const Exclusive lock(state_->locks);
  return sizeof(State) + state_->arenas.bytes();
}

struct CachingAllocator::Pause::Lock {
  explicit Lock(State& of) : state(of), exclusive(of.locks) {}
  State& state;
  Exclusive exclusive;
};

CachingAllocator::Pause::Pause(State& state) : lock_(std::make_unique<Lock>(state)) {}
CachingAllocator::Pause::~Pause() = default;

std::vector<SegmentInfo> CachingAllocator::Pause::segments() const { return lock_->state.segments_in(std::nullopt); }

CachingAllocator::Pause CachingAllocator::pause() const { return Pause(*state_); }

}  // namespace gpucheck::runtime
