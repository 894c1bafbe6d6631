#include "runtime/make_allocator.hpp"

#include <utility>

#include "runtime/async/async_allocator.hpp"
#include "runtime/caching/caching_allocator.hpp"
#include "runtime/pluggable/pluggable_allocator.hpp"

namespace gpucheck::runtime {

std::unique_ptr<DeviceAllocator> make_allocator(const AllocatorChoice& choice, device::Device& device,
                                                StreamPool& streams, WarningSink warn) {
  switch (choice.kind) {
    case AllocatorChoice::Kind::caching:
      return std::make_unique<CachingAllocator>(
          device, AllocatorSettings{}, [&streams](device::Stream stream) { return streams.stream_id(stream); });
    case AllocatorChoice::Kind::async:
      return std::make_unique<AsyncAllocator>(device, streams, std::move(warn));
    case AllocatorChoice::Kind::library:
      break;
  }
  return std::make_unique<PluggableAllocator>(device, choice);
}

}  // namespace gpucheck::runtime
