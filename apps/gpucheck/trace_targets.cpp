#include "trace_targets.hpp"

#include "replay/replay.hpp"

namespace gpucheck::application {

std::unique_ptr<replay::TraceTarget> make_trace_target(const runtime::AllocatorChoice& choice, device::Device& device,
                                                       bool is_simulated, const replay::TargetOptions& options) {
  using Kind = runtime::AllocatorChoice::Kind;
  switch (choice.kind) {
    case Kind::caching:
      return std::make_unique<replay::CachingAllocatorTarget>(device, options);
    case Kind::async:
      return std::make_unique<replay::AsyncAllocatorTarget>(device, options);
    case Kind::library:
      break;
  }
  return std::make_unique<replay::LibraryTarget>(device, is_simulated, choice, options);
}

}  // namespace gpucheck::application
