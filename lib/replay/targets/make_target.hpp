#pragma once

#include <memory>

#include "replay/targets/runtime_target.hpp"
#include "runtime/settings/allocator_choice.hpp"

/// The only part that knows which allocators traces can be played against. The device must
/// outlive them.
namespace gpucheck::replay {

/// What the trace says it was recorded under.
[[nodiscard]] TargetOptions options_of(const Trace& trace);

/// The allocator of the memory that the trace is about; of device memory the chosen one.
/// @throws UsageError for a choice, other than the caching allocator, that a trace of
/// pinned memory has no use for; EnvironmentError for a library that cannot be used; and as
/// CachingAllocatorTarget does.
std::unique_ptr<TraceTarget> make_target(const Trace& trace, const runtime::AllocatorChoice& choice,
                                         device::Device& device, bool is_simulated, const TargetOptions& options);

/// The allocator that can be held against what PyTorch recorded. @throws as above.
std::unique_ptr<ComparableTarget> make_comparable_target(const Trace& trace, device::Device& device,
                                                         const TargetOptions& options);

}  // namespace gpucheck::replay
