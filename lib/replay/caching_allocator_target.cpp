#include "replay/caching_allocator_target.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gpucheck::replay {

namespace {

double fraction_of(std::uint64_t limit_bytes, const device::Device& device) {
  const std::uint64_t total = device.properties().total_memory_bytes;
  if (limit_bytes > total) {
    throw UsageError(
        fmt::format("a memory limit of {} is more than the device has ({}): lower it, or choose a larger "
                    "device",
                    limit_bytes, total));
  }
  return static_cast<double>(limit_bytes) / static_cast<double>(total);
}

SegmentLayout layout_of(const runtime::SegmentInfo& segment) {
  SegmentLayout layout{segment.total_size, !segment.stream, segment.is_large, {}};
  layout.blocks.reserve(segment.blocks.size());
  for (const runtime::BlockInfo& block : segment.blocks) {
    layout.blocks.push_back({block.size, block.requested_size, runtime::name_of(block.state)});
  }
  return layout;
}

}  // namespace

CachingAllocatorTarget::Options CachingAllocatorTarget::options_of(const Trace& trace) {
  return {trace.settings, trace.memory_limit_bytes, trace.stream_count};
}

CachingAllocatorTarget::CachingAllocatorTarget(device::Device& device, const Options& options)
    : device_(device), pool_(device), streams_{device.default_stream()}, allocator_(device) {
  // Set afterwards, as a running program does it: one figure, max_split_size, is fixed
  // when the allocator is made.
  if (!options.settings.empty()) allocator_.set_settings(options.settings);
  while (streams_.size() < options.stream_count) streams_.push_back(pool_.next());
  if (options.memory_limit_bytes) allocator_.set_memory_fraction(fraction_of(*options.memory_limit_bytes, device));
}

TraceTarget::Allocation CachingAllocatorTarget::allocate(std::uint64_t size, std::uint16_t stream) {
  try {
    return {allocator_.allocate(size, streams_[stream]), false};
  } catch (const runtime::OutOfMemoryError&) {
    return {nullptr, true};
  }
}

void CachingAllocatorTarget::free(void* address) { allocator_.free(address); }

void CachingAllocatorTarget::record_stream(void* address, std::uint16_t stream) {
  allocator_.record_stream(address, streams_[stream]);
}

void CachingAllocatorTarget::synchronize() { device::check(device_.synchronize(), "synchronize"); }

void CachingAllocatorTarget::empty_cache() { allocator_.empty_cache(); }

Figures CachingAllocatorTarget::figures() {
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

std::vector<NamedFigure> CachingAllocatorTarget::statistics() { return runtime::flatten(allocator_.stats()); }

std::vector<SegmentLayout> CachingAllocatorTarget::segments() {
  std::vector<SegmentLayout> layouts;
  std::ranges::transform(allocator_.snapshot(), std::back_inserter(layouts), layout_of);
  return layouts;
}

}  // namespace gpucheck::replay
