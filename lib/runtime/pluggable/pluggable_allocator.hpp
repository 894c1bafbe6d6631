#pragma once

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "runtime/allocator/limited_allocator.hpp"
#include "runtime/pluggable/pluggable_library.hpp"

namespace gpucheck::runtime {

/// A library of the user's as a runtime's allocator, as PyTorch's CUDAPluggableAllocator
/// makes it one: it remembers what is in use and passes the rest on. Unlike PyTorch it
/// does not pass requests for 0 bytes on, takes null for out of memory, and rejects a
/// pointer that is in use already. `free` passes the stream of the allocation.
class PluggableAllocator final : public LimitedAllocator {
 public:
  /// @throws EnvironmentError when the library cannot be used.
  PluggableAllocator(device::Device& device, const AllocatorChoice& choice);
  /// The same with functions of this program's own; `name` is for messages.
  PluggableAllocator(device::Device& device, std::string name, const PluggableLibrary::Functions& functions);

  [[nodiscard]] std::string_view name() const noexcept override { return "pluggable"; }
  [[nodiscard]] const PluggableLibrary& library() const noexcept { return library_; }

  [[nodiscard]] void* allocate(std::size_t bytes, device::Stream stream) override;
  void free(void* pointer) override;
  /// Ignored, as by PyTorch without a function of the library's for it.
  void record_stream(void*, device::Stream) override {}
  /// Likewise.
  void empty_cache() override {}
  using LimitedAllocator::empty_cache;

  [[nodiscard]] MemoryStatistics stats() const override { reject("getDeviceStats"); }
  void reset_peak_stats() override { reject("resetPeakStats"); }
  void reset_accumulated_stats() override { reject("resetAccumulatedStats"); }
  [[nodiscard]] LiveAllocations live_allocations() const override;

  [[nodiscard]] std::optional<BlockInfo> block_info(const void* pointer) const override;
  /// The block itself.
  [[nodiscard]] BaseAllocation base_allocation(const void* pointer) const override;

  /// Only remembered.
  void set_memory_fraction(double fraction) override { fraction_ = fraction; }
  [[nodiscard]] double memory_fraction() const override { return fraction_; }

  /// A library without PyTorch's further functions knows no pools.
  void begin_allocate_to_pool(PoolId, PoolFilter) override { reject("beginAllocateToPool"); }
  void end_allocate_to_pool(PoolId) override { reject("endAllocateToPool"); }
  void release_pool(PoolId) override {}

 private:
  struct Allocation {
    std::size_t bytes = 0;
    device::Stream stream;
  };
  [[nodiscard]] std::optional<Allocation> find(const void* pointer) const;

  PluggableLibrary library_;
  std::atomic<double> fraction_ = 1.0;
  mutable std::mutex mutex_;
  std::unordered_map<void*, Allocation> allocations_;
};

}  // namespace gpucheck::runtime
