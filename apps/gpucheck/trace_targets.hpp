#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "replay/caching_allocator_target.hpp"

/// The only part that knows which allocators traces can be played against.
namespace gpucheck::application {

/// @throws UsageError naming the known ones.
void check_allocator_name(std::string_view name);

/// An allocator on that device, which must outlive it. @throws UsageError for an unknown
/// name, and as replay::CachingAllocatorTarget does.
std::unique_ptr<replay::TraceTarget> make_trace_target(std::string_view name, device::Device& device,
                                                       const replay::CachingAllocatorTarget::Options& options);

}  // namespace gpucheck::application
