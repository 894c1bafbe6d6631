#include "runtime/caching/segments/segments.hpp"

#include <algorithm>

#include "device/check.hpp"
#include "device/relaxed_capture.hpp"
#include "runtime/caching/shared/added.hpp"
#include "runtime/streams/pools/is_capturing.hpp"

namespace gpucheck::runtime::detail {
namespace {

std::vector<BlockRef> free_blocks(const Pool& pool, PoolKind kind) {
  std::vector<BlockRef> result;
  for (Arena* arena : pool.arenas) {
    for (const BlockIndex index : arena->unpark().free_blocks(kind)) result.push_back({arena, index});
  }
  return result;
}

}  // namespace

Segments::~Segments() {
  // A device that is lost fails; there is nothing left to free then.
  for (const auto& arena : parts_.arenas.all()) {
    const Heap& heap = arena->unpark();
    for (const BlockIndex first : heap.segments()) {
      if (heap[first].expandable) continue;  // goes with its reservation
      static_cast<void>(parts_.device.free(reinterpret_cast<void*>(heap[first].address)));
    }
  }
  // Unlike a plain free, unmapping does not wait for work that still uses the memory.
  if (!expandable_.empty()) static_cast<void>(parts_.device.synchronize());
}

bool Segments::exceeds_limit(std::uint64_t bytes) const noexcept {
  const auto& limit = parts_.configuration.limit();
  return limit && parts_.statistics.reserved_bytes() + in_flight_bytes_ + bytes > *limit;
}

Segments::Obtained Segments::obtain(const Request& request, Exclusive& lock) {
  if (exceeds_limit(request.segment_bytes)) return {};
  if (parts_.configuration.settings().expandable_segments) return {expandable_.obtain(request)};
  const bool releases = parts_.configuration.settings().release_lock_on_device_allocation;
  const auto memory = allocate_on_device(request, lock);
  if (memory.has_value()) return {add(request, *memory), releases};
  static_cast<void>(parts_.device.last_error());
  if (memory.error() != device::Status::out_of_memory) throw device::DeviceError(memory.error(), "allocate");
  return {.block = {}, .released_lock = releases};
}

device::Result<void*> Segments::allocate_on_device(const Request& request, Exclusive& lock) {
  const auto allocate = [&]() -> device::Result<void*> {
    if (!is_capturing(parts_.device, request.arena->stream())) return parts_.device.allocate(request.segment_bytes);
    const device::RelaxedCapture relaxed(parts_.device);
    return parts_.device.allocate(request.segment_bytes);
  };
  if (!parts_.configuration.settings().release_lock_on_device_allocation) return allocate();
  // Nobody else may take what the limit leaves for the segment.
  const Added bytes(in_flight_bytes_, request.segment_bytes);
  const Released released(lock);
  return allocate();
}

/// Makes what the device gave one free block.
BlockRef Segments::add(const Request& request, void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uint64_t bytes = request.segment_bytes;
  parts_.arenas.add_memory(address, bytes, *request.arena);
  parts_.statistics.segment_allocated(request.kind(), bytes, parts_.configuration.is_oversize(bytes));
  ++request.arena->pool().segment_count;
  parts_.recording.record(*request.arena, MemoryAction::segment_alloc, address, bytes);
  return {request.arena, request.arena->unpark().add_segment(address, bytes, request.kind())};
}

void Segments::release(BlockRef ref) {
  const Block block = ref.block();
  device::check_and_clear(parts_.device, parts_.device.free(reinterpret_cast<void*>(block.address)), "free");
  parts_.recording.segment_freed(*ref.arena, block);
  parts_.statistics.segment_freed(block.kind, block.size, parts_.configuration.is_oversize(block.size));
  parts_.arenas.remove_memory(block.address, block.size, *ref.arena);
  --ref.arena->pool().segment_count;
  ref.heap().remove_segment(ref.index);
}

/// Each pass goes to its end, so that collection is not needed again soon.
void Segments::collect_garbage() {
  const double share = parts_.configuration.settings().garbage_collection_threshold;
  const std::uint64_t reserved = parts_.statistics.reserved_bytes();
  const auto threshold = static_cast<std::uint64_t>(share * static_cast<double>(*parts_.configuration.limit()));
  if (reserved <= threshold) return;
  const Pool& pool = parts_.pools.default_pool();
  std::vector<BlockRef> candidates = free_blocks(pool, PoolKind::large);
  std::erase_if(candidates, [](BlockRef ref) { return ref.block().is_split() || ref.block().expandable; });
  const std::uint64_t searches = pool.searches[Counters::index(PoolKind::large)];
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
      release(ref);
      return true;
    });
  }
}

bool Segments::release_oversize(const Request& request) {
  const std::uint64_t max_split_size = parts_.configuration.policy().max_split_size;
  if (max_split_size == AllocatorSettings::unlimited) return false;
  const Heap& heap = request.arena->unpark();
  const std::uint64_t wanted = std::max(request.rounded, max_split_size);
  const BlockIndex single = heap.best_fit(request.kind(), wanted);
  if (single != no_block && !heap[single].expandable) {
    release({request.arena, single});
    return true;
  }
  std::vector<BlockIndex> candidates = heap.free_blocks(request.kind());
  std::erase_if(candidates, [&](BlockIndex index) { return heap[index].expandable || heap[index].size >= wanted; });
  std::uint64_t released = 0;
  while (released < wanted && !candidates.empty()) {
    const BlockRef largest{request.arena, candidates.back()};
    if (largest.block().size < max_split_size) break;
    released += largest.block().size;
    release(largest);
    candidates.pop_back();
  }
  return released >= wanted;
}

void Segments::release_unsplit(Pool& pool, PoolKind kind) {
  const std::vector<BlockRef> blocks = free_blocks(pool, kind);
  for (const BlockRef ref : blocks) {
    if (!ref.block().expandable && !ref.block().is_split()) release(ref);
  }
  for (const BlockRef ref : blocks) {
    if (ref.block().expandable) expandable_.remove_memory(ref);
  }
}

}  // namespace gpucheck::runtime::detail
