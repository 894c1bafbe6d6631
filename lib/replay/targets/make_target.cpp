#include "replay/targets/make_target.hpp"

#include "base/error.hpp"
#include "replay/targets/async_allocator_target.hpp"
#include "replay/targets/caching_allocator_target.hpp"
#include "replay/targets/library_target.hpp"
#include "replay/targets/pinned_allocator_target.hpp"

namespace gpucheck::replay {

TargetOptions options_of(const Trace& trace) { return {trace.settings, trace.memory_limit_bytes, trace.stream_count}; }

std::unique_ptr<TraceTarget> make_target(const Trace& trace, const runtime::AllocatorChoice& choice,
                                         device::Device& device, bool is_simulated, const TargetOptions& options) {
  using Allocator = runtime::AllocatorChoice::Kind;
  if (choice.kind == Allocator::caching) return make_comparable_target(trace, device, options);
  if (trace.memory == MemoryKind::pinned) {
    throw UsageError("a trace of pinned memory has no use for another allocator of device memory: leave it out");
  }
  if (choice.kind == Allocator::async) return std::make_unique<AsyncAllocatorTarget>(device, options);
  return std::make_unique<LibraryTarget>(device, is_simulated, choice, options);
}

std::unique_ptr<ComparableTarget> make_comparable_target(const Trace& trace, device::Device& device,
                                                         const TargetOptions& options) {
  if (trace.memory == MemoryKind::pinned) return std::make_unique<PinnedAllocatorTarget>(device, options);
  return std::make_unique<CachingAllocatorTarget>(device, options);
}

}  // namespace gpucheck::replay
