#pragma once

#include "replay/targets/runtime_target.hpp"

namespace gpucheck::replay {

/// PyTorch's cudaMallocAsync backend: what the device's own stream-ordered pool makes of
/// a trace. Its pool says what it reserves. The device must outlive it.
class AsyncAllocatorTarget final : private OnWatchedStreams,
                                   public RuntimeTarget<TraceTarget, runtime::DeviceAllocator> {
 public:
  /// The limit is one for what is allocated, as in PyTorch; what the pool keeps besides
  /// is bounded by the device alone.
  /// @throws SettingsError; UsageError for a limit above the device's memory; DeviceError.
  AsyncAllocatorTarget(device::Device& device, const TargetOptions& options);

  [[nodiscard]] Usage usage() override;
  [[nodiscard]] std::vector<std::string> remarks() override;

 private:
  std::vector<std::string> remarks_;
};

}  // namespace gpucheck::replay
