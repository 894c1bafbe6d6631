#pragma once

#include "replay/targets/runtime_target.hpp"
#include "replay/targets/streams/held_streams.hpp"
#include "runtime/caching/caching_allocator.hpp"

namespace gpucheck::replay {

/// What a caching allocator has counted so far.
struct AllocatorCounters {
  std::int64_t device_allocations = 0;  ///< segments made, or memory mapped into expandable ones
  std::int64_t retries = 0;             ///< allocations that released the cache and tried again
  std::uint64_t peak_allocated_bytes = 0;
};

/// Before the runtime that runs on it.
struct OnHeldStreams {
  HeldStreams held_streams;
};

/// gpucheck's caching allocator on a device, as something to play traces against. On a
/// simulated device no GPU is needed. The device must outlive it.
///
/// What is freed later is freed at once, while a stream that is never done uses it: until the end of its uses, or until
/// the allocator waits for all streams, as it does where memory is short.
class CachingAllocatorTarget final : private OnHeldStreams,
                                     public RuntimeTarget<ComparableTarget, runtime::CachingAllocator> {
 public:
  /// @throws SettingsError; UsageError for a limit above the device's memory; DeviceError.
  CachingAllocatorTarget(device::Device& device, const TargetOptions& options);

  void free_later(void* address, std::uint16_t number) override;
  void end_of_uses(std::uint16_t number) override { held_streams.release(number); }
  [[nodiscard]] Usage usage() override;
  [[nodiscard]] std::optional<std::int64_t> retry_count() override;
  [[nodiscard]] AllocatorCounters counters();
  [[nodiscard]] StepStatistics step_statistics() override;
  [[nodiscard]] std::vector<NamedStatistic> statistics() override;
  [[nodiscard]] std::vector<SegmentLayout> segments() override;
};

}  // namespace gpucheck::replay
