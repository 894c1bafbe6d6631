#include <algorithm>
#include <fmt/format.h>

#include "runtime/caching/detail/state.hpp"

namespace gpucheck::runtime {
namespace {

/// Everything of `totals_` that has a peak.
template <typename Visit>
void for_each_total(MemoryStatistics& totals, Visit visit) {
  for (PoolStatistic* statistic : {&totals.segment, &totals.reserved_bytes}) {
    for (Statistic* part : {&statistic->all, &statistic->small_pool, &statistic->large_pool}) visit(*part);
  }
  visit(totals.oversize_allocations);
  visit(totals.oversize_segments);
}

}  // namespace

MemoryStatistics CachingAllocator::State::stats() {
  const Exclusive lock(*this);
  settle_all();
  MemoryStatistics result = totals_;
  ledger_.report(counters_, result);
  return result;
}

MemoryUsage CachingAllocator::State::usage() {
  const Exclusive lock(*this);
  return {ledger_.current(counters_, detail::allocated_bytes), totals_.reserved_bytes.all.current};
}

void CachingAllocator::State::reset_peak_stats() {
  const Exclusive lock(*this);
  ledger_.reset_peaks(counters_);
  for_each_total(totals_, [](Statistic& statistic) { statistic.peak = statistic.current; });
}

void CachingAllocator::State::reset_accumulated_stats() {
  const Exclusive lock(*this);
  ledger_.reset_accumulated(counters_);
  for_each_total(totals_, [](Statistic& statistic) { statistic.allocated = statistic.freed = 0; });
  totals_.num_alloc_retries = totals_.num_ooms = totals_.num_sync_all_streams = 0;
  totals_.num_device_alloc = totals_.num_device_free = 0;
}

SegmentInfo CachingAllocator::State::segment_info(const Arena& arena, BlockIndex first) {
  SegmentInfo segment;
  segment.address = arena[first].address;
  segment.stream = arena.stream();
  segment.is_large = arena[first].kind == PoolKind::large;
  segment.pool = arena.pool().id;
  segment.was_split = arena[first].is_split() || arena[first].is_merged;
  segment.is_expandable = arena[first].expandable;
  for (BlockIndex index = first; index != detail::no_block && arena[index].mapped; index = arena[index].next) {
    const BlockInfo block = arena.info(index);
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

std::vector<SegmentInfo> CachingAllocator::State::snapshot(std::optional<PoolId> only) {
  const Exclusive lock(*this);
  return segments_in(only);
}

std::vector<SegmentInfo> CachingAllocator::State::segments_in(std::optional<PoolId> only) const {
  std::vector<SegmentInfo> result;
  for (const auto& arena : arenas_) {
    for (const BlockIndex first : arena->segments()) {
      if (!only || arena->pool().id == *only) result.push_back(segment_info(*arena, first));
    }
  }
  std::ranges::sort(result, {}, &SegmentInfo::address);
  return result;
}

std::optional<BlockInfo> CachingAllocator::State::block_info(const void* pointer) {
  const Exclusive lock(*this);
  const BlockRef ref = find_live(pointer);
  return ref ? std::optional(ref.arena->info(ref.index)) : std::nullopt;
}

CachingAllocator::BaseAllocation CachingAllocator::State::base_allocation(const void* pointer) {
  const Exclusive lock(*this);
  const BlockRef ref = find_live(pointer);
  if (!ref) throw Error(fmt::format("invalid device pointer: {}", pointer));
  if (ref.block().expandable) {
    throw Error(
        "A block of an expandable segment has no allocation of its own under it. Allocate what other "
        "processes shall see with expandable_segments:False.");
  }
  const SegmentInfo segment = segment_info(*ref.arena, ref.arena->first_of_segment(ref.index));
  return {reinterpret_cast<void*>(segment.address), segment.total_size};
}

std::size_t CachingAllocator::State::bookkeeping_bytes() {
  const Exclusive lock(*this);
  std::size_t total = sizeof(*this) + addresses_.bytes() + default_arenas_.bytes();
  for (const auto& arena : arenas_) total += arena->bytes();
  return total;
}

}  // namespace gpucheck::runtime
