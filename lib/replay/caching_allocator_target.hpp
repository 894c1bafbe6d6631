#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/target.hpp"
#include "runtime/caching_allocator.hpp"
#include "runtime/stream_pool.hpp"

namespace gpucheck::replay {

/// gpucheck's caching allocator on a device, as something to play traces against. On a
/// simulated device no GPU is needed. The device must outlive it.
class CachingAllocatorTarget final : public TraceTarget {
 public:
  struct Options {
    std::string settings;  ///< a settings string, empty for the defaults
    std::optional<std::uint64_t> memory_limit_bytes;
    std::uint32_t stream_count = 1;
  };
  /// What the trace says it was recorded under.
  [[nodiscard]] static Options options_of(const Trace& trace);

  /// @throws SettingsError; UsageError for a limit above the device's memory; DeviceError.
  CachingAllocatorTarget(device::Device& device, const Options& options);

  Allocation allocate(std::uint64_t size, std::uint16_t stream) override;
  void free(void* address) override;
  void record_stream(void* address, std::uint16_t stream) override;
  void synchronize() override;
  void empty_cache() override;
  [[nodiscard]] Figures figures() override;
  [[nodiscard]] std::vector<NamedFigure> statistics() override;
  [[nodiscard]] std::vector<SegmentLayout> segments() override;

 private:
  device::Device& device_;
  runtime::StreamPool pool_;
  std::vector<device::Stream> streams_;  ///< by index; the first is the default stream
  runtime::CachingAllocator allocator_;
};

}  // namespace gpucheck::replay
