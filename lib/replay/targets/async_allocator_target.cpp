#include "replay/targets/async_allocator_target.hpp"

#include <algorithm>
#include <iterator>

namespace gpucheck::replay {

namespace {

runtime::AllocatorChoice async_choice() {
  runtime::AllocatorChoice choice;
  choice.kind = runtime::AllocatorChoice::Kind::async;
  return choice;
}

}  // namespace

AsyncAllocatorTarget::AsyncAllocatorTarget(device::Device& device, const TargetOptions& options)
    : OnWatchedStreams(device),
      RuntimeTarget(watched, async_choice(), options.stream_count,
                    [](runtime::Runtime& runtime) -> runtime::DeviceAllocator& { return runtime.allocator(); }) {
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

std::vector<std::string> AsyncAllocatorTarget::remarks() {
  std::vector<std::string> all = runtime_.warnings();
  std::ranges::copy(remarks_, std::back_inserter(all));
  return all;
}

}  // namespace gpucheck::replay
