#include "replay/targets/pinned_allocator_target.hpp"

#include "base/error.hpp"

namespace gpucheck::replay {

PinnedAllocatorTarget::PinnedAllocatorTarget(device::Device& device, const TargetOptions& options)
    : device_(device),
      runtime_(device_),
      allocator_(runtime_.pinned_allocator()),
      streams_(runtime_, device_, options.stream_count) {
  if (options.memory_limit_bytes) throw UsageError("pinned memory has no memory limit: leave it out");
  if (!options.settings.empty()) runtime_.set_settings(options.settings);
}

TraceTarget::Allocation PinnedAllocatorTarget::allocate(std::uint64_t size, std::uint16_t stream) {
  streams_.wait_for_used_streams();
  const runtime::PinnedAllocator::Allocation made = allocator_.allocate(size, streams_[stream]);
  if (made.pointer != nullptr) contexts_[made.pointer] = made.context;
  return {made.pointer, false};
}

void PinnedAllocatorTarget::free(void* address) {
  streams_.wait_for_used_streams();
  const auto block = contexts_.extract(address);
  allocator_.free(block.mapped());
}

void PinnedAllocatorTarget::record_stream(void* address, std::uint16_t stream) {
  streams_.wait_for_used_streams();
  streams_.note_use(stream);
  if (!allocator_.record_event(address, contexts_.at(address), streams_[stream])) {
    throw Error("the pinned allocator does not know a block that it gave");
  }
}

void PinnedAllocatorTarget::empty_cache() {
  streams_.wait_for_used_streams();
  allocator_.empty_cache();
}

void PinnedAllocatorTarget::carry_out(const Trace& trace, const Event& event) {
  streams_.wait_for_used_streams();
  if (event.action == Action::reset_peak_stats) return allocator_.reset_peak_stats();
  if (event.action == Action::reset_accumulated_stats) return allocator_.reset_accumulated_stats();
  calls_.carry_out(trace, event);
}

Usage PinnedAllocatorTarget::usage() {
  return {static_cast<std::int64_t>(allocator_.live_allocations().bytes), allocator_.stats().allocated_bytes.current};
}

StepStatistics PinnedAllocatorTarget::step_statistics() {
  const runtime::PinnedStatistics now = allocator_.stats();
  return {now.allocations.current,  now.allocated_bytes.current, now.active_requests.current,
          now.active_bytes.current, now.allocations.peak,        now.allocated_bytes.peak,
          now.active_requests.peak, now.active_bytes.peak,       now.num_host_alloc,
          now.num_host_free};
}

std::vector<NamedStatistic> PinnedAllocatorTarget::statistics() { return runtime::flatten(allocator_.stats()); }

}  // namespace gpucheck::replay
