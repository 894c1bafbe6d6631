#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/check.hpp"
#include "replay/targets/target.hpp"
#include "runtime/allocator/errors.hpp"
#include "runtime/streams/stream_pool.hpp"

namespace gpucheck::replay {

/// The conditions that a trace is played under.
struct TargetOptions {
  std::string settings;  ///< a settings string, empty for the defaults
  std::optional<std::uint64_t> memory_limit_bytes;
  std::uint32_t stream_count = 1;
};

/// The limit as a share of the device's memory, as torch.cuda.set_per_process_memory_fraction
/// takes it. @throws UsageError for one above the device's memory.
double fraction_of(std::uint64_t limit_bytes, const device::Device& device);

/// A trace's calls, made on one of the runtime's allocators and on streams of a device,
/// which must outlive it.
template <typename Interface, typename Allocator>
class RuntimeTarget : public Interface {
 public:
  using Allocation = typename Interface::Allocation;

  Allocation allocate(std::uint64_t size, std::uint16_t stream) override {
    try {
      return {allocator_.allocate(size, streams_[stream]), false};
    } catch (const runtime::OutOfMemoryError&) {
      return {nullptr, true};
    }
  }
  void free(void* address) override { allocator_.free(address); }
  void record_stream(void* address, std::uint16_t stream) override {
    allocator_.record_stream(address, streams_[stream]);
  }
  void synchronize() override { device::check(device_.synchronize(), "synchronize"); }
  void empty_cache() override { allocator_.empty_cache(); }

 protected:
  /// `make` returns the allocator; it is given the streams.
  template <typename Make>
  RuntimeTarget(device::Device& device, std::uint32_t stream_count, Make&& make)
      : device_(device), pool_(device), allocator_(make(pool_)), streams_{device.default_stream()} {
    while (streams_.size() < stream_count) streams_.push_back(pool_.next());
  }

  device::Device& device_;
  runtime::StreamPool pool_;
  Allocator allocator_;
  std::vector<device::Stream> streams_;  ///< by index; the first is the default stream
};

}  // namespace gpucheck::replay
