#include "runtime/allocator/gpu_trace_sink.hpp"
#include "runtime/caching/detail/state.hpp"

namespace gpucheck::runtime {

const char* name_of(MemoryAction action) noexcept {
  switch (action) {
    case MemoryAction::alloc:
      return "alloc";
    case MemoryAction::free_requested:
      return "free_requested";
    case MemoryAction::free_completed:
      return "free_completed";
    case MemoryAction::segment_alloc:
      return "segment_alloc";
    case MemoryAction::segment_free:
      return "segment_free";
    case MemoryAction::segment_map:
      return "segment_map";
    case MemoryAction::segment_unmap:
      return "segment_unmap";
    case MemoryAction::oom:
      return "oom";
    case MemoryAction::snapshot:
      break;
  }
  return "snapshot";
}

void CachingAllocator::State::set_memory_observer(MemoryObserver* observer) {
  const Exclusive lock(*this);
  if (observer != nullptr) observer->prepare_shards(arenas_.size());
  observer_.store(observer, std::memory_order_relaxed);
}

void CachingAllocator::State::set_gpu_trace_sink(GpuTraceSink* sink) {
  const Exclusive lock(*this);
  trace_sink_.store(sink, std::memory_order_release);
}

void CachingAllocator::State::announce_allocation(const void* pointer) const noexcept {
  GpuTraceSink* const sink = trace_sink_.load(std::memory_order_acquire);
  if (sink != nullptr && pointer != nullptr) sink->memory_allocation(reinterpret_cast<std::uintptr_t>(pointer));
}

/// Only for memory in use: freeing anything else is an error, not an event.
void CachingAllocator::State::announce_deallocation(void* pointer) {
  GpuTraceSink* const sink = trace_sink_.load(std::memory_order_acquire);
  if (sink != nullptr && is_in_use(pointer)) sink->memory_deallocation(reinterpret_cast<std::uintptr_t>(pointer));
}

bool CachingAllocator::State::is_in_use(void* pointer) {
  const Exclusive lock(*this);
  return find_live(pointer) || uncached_pointers_.contains(pointer);
}

void CachingAllocator::State::inspect(const std::function<void(std::vector<SegmentInfo>)>& visit) {
  const Exclusive lock(*this);
  visit(segments_in(std::nullopt));
}

}  // namespace gpucheck::runtime
