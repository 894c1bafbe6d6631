#pragma once

#include <memory>

#include "replay/targets/runtime_target.hpp"
#include "runtime/allocator/allocator_choice.hpp"

/// The only part that knows which allocators traces can be played against.
namespace gpucheck::replay {

/// An allocator on that device, which must outlive it. @throws EnvironmentError for a
/// library that cannot be used, and as CachingAllocatorTarget does.
std::unique_ptr<TraceTarget> make_target(const runtime::AllocatorChoice& choice, device::Device& device,
                                         bool is_simulated, const TargetOptions& options);

}  // namespace gpucheck::replay
