#include "trace_targets.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::application {

void check_allocator_name(std::string_view name) {
  if (name == "caching") return;
  throw UsageError(fmt::format("there is no allocator \"{}\" to play traces against; there is: caching", name));
}

std::unique_ptr<replay::TraceTarget> make_trace_target(std::string_view name, device::Device& device,
                                                       const replay::CachingAllocatorTarget::Options& options) {
  check_allocator_name(name);
  return std::make_unique<replay::CachingAllocatorTarget>(device, options);
}

}  // namespace gpucheck::application
