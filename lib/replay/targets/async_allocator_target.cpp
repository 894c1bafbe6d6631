#include "replay/targets/async_allocator_target.hpp"

#include <utility>

namespace gpucheck::replay {

AsyncAllocatorTarget::AsyncAllocatorTarget(device::Device& device, const TargetOptions& options)
    : RuntimeTarget(device, options.stream_count, [this, &device](runtime::StreamPool& streams) {
        return runtime::AsyncAllocator(device, streams,
                                       [this](std::string warning) { remarks_.push_back(std::move(warning)); });
      }) {
  if (!options.settings.empty()) {
    allocator_.set_settings(options.settings);
    remarks_.emplace_back("cudaMallocAsync has no use for the settings: they were only checked");
  }
  if (options.memory_limit_bytes) {
    allocator_.set_memory_fraction(fraction_of(*options.memory_limit_bytes, device));
    remarks_.emplace_back("cudaMallocAsync holds the memory limit for what is allocated, not for what its pool keeps");
  }
}

Usage AsyncAllocatorTarget::usage() {
  const runtime::MemoryStatistics now = allocator_.stats();
  return {now.allocated_bytes.all.current, now.reserved_bytes.all.current};
}

}  // namespace gpucheck::replay
