#pragma once

#include <memory>

#include "replay/targets/runtime_target.hpp"
#include "runtime/allocator/allocator_choice.hpp"

/// The only part that knows which allocators traces can be played against.
namespace gpucheck::application {

/// An allocator on that device, which must outlive it. @throws EnvironmentError for a
/// library that cannot be used, and as replay::CachingAllocatorTarget does.
std::unique_ptr<replay::TraceTarget> make_trace_target(const runtime::AllocatorChoice& choice, device::Device& device,
                                                       bool is_simulated, const replay::TargetOptions& options);

}  // namespace gpucheck::application
