#pragma once

#include "replay/targets/runtime_target.hpp"
#include "runtime/caching/caching_allocator.hpp"

namespace gpucheck::replay {

/// What a caching allocator has counted so far.
struct AllocatorCounters {
  std::int64_t device_allocations = 0;  ///< segments made, or memory mapped into expandable ones
  std::int64_t retries = 0;             ///< allocations that released the cache and tried again
  std::uint64_t peak_allocated_bytes = 0;
};

/// gpucheck's caching allocator on a device, as something to play traces against. On a
/// simulated device no GPU is needed. The device must outlive it.
class CachingAllocatorTarget final : public RuntimeTarget<ComparableTarget, runtime::CachingAllocator> {
 public:
  /// @throws SettingsError; UsageError for a limit above the device's memory; DeviceError.
  CachingAllocatorTarget(device::Device& device, const TargetOptions& options);

  [[nodiscard]] Usage usage() override;
  [[nodiscard]] std::optional<std::int64_t> retry_count() override;
  [[nodiscard]] AllocatorCounters counters();
  [[nodiscard]] StepStatistics step_statistics() override;
  [[nodiscard]] std::vector<NamedStatistic> statistics() override;
  [[nodiscard]] std::vector<SegmentLayout> segments() override;
};

}  // namespace gpucheck::replay
