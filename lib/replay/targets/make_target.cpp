#include "replay/targets/make_target.hpp"

#include "replay/targets/async_allocator_target.hpp"
#include "replay/targets/caching_allocator_target.hpp"
#include "replay/targets/library_target.hpp"

namespace gpucheck::replay {

std::unique_ptr<TraceTarget> make_target(const runtime::AllocatorChoice& choice, device::Device& device,
                                         bool is_simulated, const TargetOptions& options) {
  using Kind = runtime::AllocatorChoice::Kind;
  switch (choice.kind) {
    case Kind::caching:
      return std::make_unique<CachingAllocatorTarget>(device, options);
    case Kind::async:
      return std::make_unique<AsyncAllocatorTarget>(device, options);
    case Kind::library:
      break;
  }
  return std::make_unique<LibraryTarget>(device, is_simulated, choice, options);
}

}  // namespace gpucheck::replay
