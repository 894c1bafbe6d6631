#pragma once

#include <unordered_map>

#include "replay/targets/runtime_calls.hpp"
#include "replay/targets/runtime_target.hpp"
#include "replay/targets/streams/trace_streams.hpp"
#include "replay/targets/target.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::replay {

/// gpucheck's allocator of pinned host memory, as something to play traces against. The
/// device must outlive it.
class PinnedAllocatorTarget final : public ComparableTarget {
 public:
  /// @throws SettingsError; UsageError for a memory limit: pinned memory has none; DeviceError.
  PinnedAllocatorTarget(device::Device& device, const TargetOptions& options);

  Allocation allocate(std::uint64_t size, std::uint16_t stream) override;
  void free(void* address) override;
  void record_stream(void* address, std::uint16_t stream) override;
  void synchronize() override { streams_.wait_for_all(); }
  void empty_cache() override;
  void carry_out(const Trace& trace, const Event& event) override;

  [[nodiscard]] Usage usage() override;
  [[nodiscard]] StepStatistics step_statistics() override;
  [[nodiscard]] std::vector<NamedStatistic> statistics() override;
  /// None: no statistic says how pinned memory is cut.
  [[nodiscard]] std::vector<SegmentLayout> segments() override { return {}; }

 private:
  StreamWork device_;
  runtime::Runtime runtime_;
  runtime::PinnedAllocator& allocator_;
  TraceStreams streams_;
  RuntimeCalls calls_{runtime_, streams_};
  std::unordered_map<void*, void*> contexts_;  ///< of blocks in use, by address
};

}  // namespace gpucheck::replay
