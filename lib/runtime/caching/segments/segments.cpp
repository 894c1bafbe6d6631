#include <algorithm>

#include "device/relaxed_capture.hpp"
#include "runtime/caching/detail/added.hpp"
#include "runtime/caching/detail/state.hpp"
#include "runtime/caching/detail/statistic_changes.hpp"
#include "runtime/graphs/is_capturing.hpp"

namespace gpucheck::runtime {
using detail::add;
using detail::subtract;

CachingAllocator::State::BlockRef CachingAllocator::State::obtain_segment(const Request& request, Exclusive& lock,
                                                                          bool is_retry) {
  device::check(device_.last_error(), "work submitted before an allocation");
  if (is_retry) ++totals_.num_alloc_retries;
  const auto reserved = static_cast<std::uint64_t>(totals_.reserved_bytes.all.current);
  if (limit_ && reserved + bytes_on_the_way_ + request.segment_bytes > *limit_) return {};
  if (settings_.expandable_segments) return obtain_expandable(request);
  const bool releases = settings_.release_lock_on_device_allocation;
  const auto memory = allocate_on_device(request, lock);
  if (memory.has_value()) return add_segment(request, *memory);
  static_cast<void>(device_.last_error());
  if (memory.error() != device::Status::out_of_memory) throw device::DeviceError(memory.error(), "allocate");
  // Meanwhile another thread may have freed what fits.
  return releases ? search(request) : BlockRef{};
}

/// Makes what the device gave one free block.
CachingAllocator::State::BlockRef CachingAllocator::State::add_segment(const Request& request, void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  addresses_.insert(address, request.segment_bytes, *request.arena);
  add(totals_.segment, request.kind(), 1);
  add(totals_.reserved_bytes, request.kind(), request.segment_bytes);
  if (request.segment_bytes >= policy_.max_split_size) add(totals_.oversize_segments, 1);
  ++totals_.num_device_alloc;
  ++request.arena->pool().segment_count;
  record(*request.arena, MemoryAction::segment_alloc, address, request.segment_bytes);
  return {request.arena, request.arena->add_segment(address, request.segment_bytes, request.kind())};
}

device::Result<void*> CachingAllocator::State::allocate_on_device(const Request& request, Exclusive& lock) {
  const auto allocate = [&]() -> device::Result<void*> {
    if (!detail::is_capturing(device_, request.arena->stream())) return device_.allocate(request.segment_bytes);
    const device::RelaxedCapture relaxed(device_);
    return device_.allocate(request.segment_bytes);
  };
  if (!settings_.release_lock_on_device_allocation) return allocate();
  // Nobody else may take what the limit leaves for the segment.
  const detail::Added bytes(bytes_on_the_way_, request.segment_bytes);
  const Released released(lock);
  return allocate();
}

void CachingAllocator::State::release_segment(BlockRef ref) {
  const Block block = ref.block();
  device::check(device_.free(reinterpret_cast<void*>(block.address)), "free");
  MemoryEvent event = event_of(*ref.arena, MemoryAction::segment_free, block.address, block.size);
  event.was_split = block.is_merged;
  record(*ref.arena, event, context_);
  ++totals_.num_device_free;
  subtract(totals_.segment, block.kind, 1);
  subtract(totals_.reserved_bytes, block.kind, block.size);
  if (block.size >= policy_.max_split_size) subtract(totals_.oversize_segments, 1);
  addresses_.erase(block.address, block.size, *ref.arena);
  --ref.arena->pool().segment_count;
  ref.arena->remove_segment(ref.index);
}

std::vector<CachingAllocator::State::BlockRef> CachingAllocator::State::free_blocks(const Pool& pool, PoolKind kind) {
  std::vector<BlockRef> result;
  for (Arena* arena : pool.arenas) {
    for (const BlockIndex index : arena->free_blocks(kind)) result.push_back({arena, index});
  }
  return result;
}

/// Frees idle segments of above-average age until the reserve is below the threshold.
/// Each pass goes to its end, so that collection is not needed again soon.
void CachingAllocator::State::collect_garbage() {
  const auto reserved = static_cast<std::uint64_t>(totals_.reserved_bytes.all.current);
  const auto threshold =
      static_cast<std::uint64_t>(settings_.garbage_collection_threshold * static_cast<double>(*limit_));
  if (reserved <= threshold) return;
  std::vector<BlockRef> candidates = free_blocks(default_pool_, PoolKind::large);
  std::erase_if(candidates, [](BlockRef ref) { return ref.block().is_split() || ref.block().expandable; });
  const std::uint64_t searches = default_pool_.searches[detail::Counters::index(PoolKind::large)];
  const auto age = [searches](BlockRef ref) { return searches - ref.block().searches_at_insertion; };
  std::uint64_t total_age = 0;
  for (const BlockRef ref : candidates) total_age += age(ref);
  std::uint64_t reclaimed = 0;
  std::size_t candidates_before = 0;
  while (reclaimed < reserved - threshold && candidates.size() != candidates_before && !candidates.empty()) {
    candidates_before = candidates.size();
    const double mean_age = static_cast<double>(total_age) / static_cast<double>(candidates.size());
    std::erase_if(candidates, [&](BlockRef ref) {
      if (static_cast<double>(age(ref)) < mean_age) return false;
      reclaimed += ref.block().size;
      total_age -= age(ref);
      release_segment(ref);
      return true;
    });
  }
}

/// With a limit on splitting, big cached blocks of the stream go first: one that is
/// large enough, or else from the largest down until their sum is.
bool CachingAllocator::State::release_oversize(const Request& request) {
  if (policy_.max_split_size == AllocatorSettings::unlimited) return false;
  const std::uint64_t wanted = std::max(request.rounded, policy_.max_split_size);
  const BlockIndex single = request.arena->best_fit(request.kind(), wanted);
  if (single != detail::no_block && !(*request.arena)[single].expandable) {
    release_segment({request.arena, single});
    return true;
  }
  std::vector<BlockIndex> candidates = request.arena->free_blocks(request.kind());
  std::erase_if(candidates, [&](BlockIndex index) {
    const Block& block = (*request.arena)[index];
    return block.expandable || block.size >= wanted;
  });
  std::uint64_t released = 0;
  while (released < wanted && !candidates.empty()) {
    const BlockRef largest{request.arena, candidates.back()};
    if (largest.block().size < policy_.max_split_size) break;
    released += largest.block().size;
    release_segment(largest);
    candidates.pop_back();
  }
  return released >= wanted;
}

void CachingAllocator::State::release_unsplit(Pool& pool, PoolKind kind) {
  const std::vector<BlockRef> blocks = free_blocks(pool, kind);
  for (const BlockRef ref : blocks) {
    if (!ref.block().expandable && !ref.block().is_split()) release_segment(ref);
  }
  for (const BlockRef ref : blocks) {
    if (ref.block().expandable) remove_memory(ref);
  }
}

void CachingAllocator::State::empty_cache(PoolId pool) {
  const Exclusive lock(*this, capture(MemoryCall::empty_cache));
  release_cached(pool);
}

void CachingAllocator::State::release_cached(PoolId id) {
  if (id.is_default() && routings_.empty()) {
    synchronize_events(nullptr);
    release_unsplit(default_pool_, PoolKind::large);
    release_unsplit(default_pool_, PoolKind::small);
  }
  for (auto entry = pools_.begin(); entry != pools_.end();) {
    Pool& pool = *entry->second;
    const bool chosen = pool.use_count == 0 && (id.is_default() || id == pool.id);
    if (chosen && !id.is_default() && routings_.empty()) synchronize_events(&pool);
    if (chosen) {
      release_unsplit(pool, PoolKind::small);
      release_unsplit(pool, PoolKind::large);
    }
    if (!chosen || pool.segment_count > 0 || pool.requests > 0) {
      ++entry;
      continue;
    }
    idle_arenas_.insert(idle_arenas_.end(), pool.arenas.begin(), pool.arenas.end());
    entry = pools_.erase(entry);
  }
}

}  // namespace gpucheck::runtime
