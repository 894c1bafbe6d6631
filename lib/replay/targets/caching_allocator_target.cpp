#include "replay/targets/caching_allocator_target.hpp"

#include <algorithm>

namespace gpucheck::replay {

namespace {

SegmentLayout layout_of(const runtime::SegmentInfo& segment) {
  SegmentLayout layout{segment.total_size, !segment.stream, segment.is_large, {}};
  layout.blocks.reserve(segment.blocks.size());
  for (const runtime::BlockInfo& block : segment.blocks) {
    layout.blocks.push_back({block.size, block.requested_size, runtime::name_of(block.state)});
  }
  return layout;
}

}  // namespace

CachingAllocatorTarget::CachingAllocatorTarget(device::Device& device, const TargetOptions& options)
    : OnHeldStreams{HeldStreams(device)},
      RuntimeTarget(
          held_streams, {}, options.stream_count,
          [](runtime::Runtime& runtime) -> runtime::CachingAllocator& { return runtime.caching_allocator(); }) {
  // Set afterwards, as a running program does it: one of them, max_split_size, is fixed
  // when the allocator is made.
  if (!options.settings.empty()) runtime_.set_settings(options.settings);
  if (options.memory_limit_bytes) allocator_.set_memory_fraction(fraction_of(*options.memory_limit_bytes, device));
}

void CachingAllocatorTarget::free_later(void* address, std::uint16_t number) {
  allocator_.record_stream(address, held_streams.hold(number));
  free(address);
}

Usage CachingAllocatorTarget::usage() {
  const runtime::MemoryUsage now = allocator_.usage();
  return {now.allocated, now.reserved};
}

std::optional<std::int64_t> CachingAllocatorTarget::retry_count() { return allocator_.stats().num_alloc_retries; }

AllocatorCounters CachingAllocatorTarget::counters() {
  const runtime::MemoryStatistics now = allocator_.stats();
  return {now.num_device_alloc, now.num_alloc_retries, static_cast<std::uint64_t>(now.allocated_bytes.all.peak)};
}

StepStatistics CachingAllocatorTarget::step_statistics() {
  const runtime::MemoryStatistics now = allocator_.stats();
  return {now.allocated_bytes.all.current,
          now.reserved_bytes.all.current,
          now.active_bytes.all.current,
          now.inactive_split_bytes.all.current,
          now.requested_bytes.all.current,
          now.segment.all.current,
          now.allocation.all.current,
          now.active.all.current,
          now.inactive_split.all.current,
          now.num_alloc_retries,
          now.num_ooms};
}

std::vector<NamedStatistic> CachingAllocatorTarget::statistics() { return runtime::flatten(allocator_.stats()); }

std::vector<SegmentLayout> CachingAllocatorTarget::segments() {
  std::vector<SegmentLayout> layouts;
  std::ranges::transform(allocator_.snapshot(), std::back_inserter(layouts), layout_of);
  return layouts;
}

}  // namespace gpucheck::replay
