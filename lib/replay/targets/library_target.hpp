#pragma once

#include <map>

#include "replay/targets/runtime_target.hpp"

namespace gpucheck::replay {

/// A library of the user's with PyTorch's pluggable ABI. The ABI is two functions,
/// allocate and free: there are no settings, no limit and no statistics, and PyTorch passes
/// neither record_stream nor empty_cache on. What it reserves is known on a simulated
/// device, whose memory nobody else uses. The device must outlive it.
class LibraryTarget final : private OnWatchedStreams, public RuntimeTarget<TraceTarget, runtime::DeviceAllocator> {
 public:
  /// @param is_simulated whether the device is; then the library must take its memory from
  ///   it (see runtime::PluggableLibrary), since memory from elsewhere would not be its.
  /// @throws EnvironmentError when the library cannot be used. Settings and limit of the
  /// options are not applied, and `remarks` says so.
  LibraryTarget(device::Device& device, bool is_simulated, const runtime::AllocatorChoice& choice,
                const TargetOptions& options);

  /// @throws Error when the library allocates memory that overlaps a block in use: what
  /// it holds would say nothing then.
  Allocation allocate(std::uint64_t size, std::uint16_t stream) override;
  void free(void* address) override;
  void record_stream(void* address, std::uint16_t stream) override;
  void empty_cache() override;
  [[nodiscard]] Usage usage() override;
  [[nodiscard]] std::vector<std::string> remarks() override;

 private:
  void add_block(void* address, std::uint64_t size);
  [[nodiscard]] std::uint64_t free_on_device() const;

  bool is_simulated_;
  bool has_settings_;
  bool has_limit_;
  std::uint64_t free_before_ = 0;                   ///< bytes of a simulated device
  std::map<std::uintptr_t, std::uint64_t> blocks_;  ///< in use: bytes by address
  std::int64_t allocated_bytes_ = 0;
  std::uint64_t recorded_streams_ = 0;
  std::uint64_t emptied_caches_ = 0;
};

}  // namespace gpucheck::replay
