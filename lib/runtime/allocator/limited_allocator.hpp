#pragma once

#include <mutex>
#include <string>

#include "runtime/allocator/device_allocator.hpp"

namespace gpucheck::runtime {

/// Base of the backends that keep no pools and no history of their own: what they cannot
/// do throws UnsupportedError with PyTorch's name of the function in the text.
class LimitedAllocator : public DeviceAllocator {
 public:
  void empty_cache(PoolId) override { empty_cache(); }
  using DeviceAllocator::empty_cache;

  [[nodiscard]] std::vector<SegmentInfo> snapshot() const override { reject("snapshot"); }
  [[nodiscard]] std::vector<SegmentInfo> snapshot(PoolId) const override { return snapshot(); }

  void set_settings(std::string_view text) override;
  [[nodiscard]] AllocatorSettings settings() const override;

  void add_out_of_memory_observer(std::function<void(const OutOfMemoryReport&)>) override {
    reject("attachOutOfMemoryObserver");
  }

  void retain_pool(PoolId, PoolOptions) override { reject("createOrIncrefPool"); }
  [[nodiscard]] int pool_use_count(PoolId) const override { reject("getPoolUseCount"); }
  [[nodiscard]] bool has_exactly_live(PoolId, const std::vector<const void*>&) const override {
    reject("checkPoolLiveAllocations");
  }

 protected:
  /// @param backend what the texts call it.
  LimitedAllocator(std::string_view backend, AllocatorSettings settings)
      : backend_(backend), settings_(std::move(settings)) {}

  [[noreturn]] void reject(std::string_view function) const;
  /// Reported of settings that were just taken over; the lock is not held.
  virtual void settings_changed(const AllocatorSettings&) {}

 private:
  std::string backend_;
  mutable std::mutex settings_mutex_;
  AllocatorSettings settings_;
};

}  // namespace gpucheck::runtime
