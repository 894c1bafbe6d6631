#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/allocator/limited_allocator.hpp"
#include "runtime/settings/allocator_choice.hpp"
#include "runtime/streams/pools/event_pool.hpp"
#include "runtime/streams/pools/stream_pool.hpp"

namespace gpucheck::runtime {

/// PyTorch 2.11's cudaMallocAsync backend: every allocation is one of the device's own
/// stream-ordered pool, which is asked to keep what it has. Sizes are bytes and exact.
/// Thread-safe. Device and streams must outlive it.
class AsyncAllocator final : public LimitedAllocator {
 public:
  /// Makes no device call.
  AsyncAllocator(device::Device& device, StreamPool& streams, WarningSink warn);
  /// Frees everything, also blocks in use, and lets the device's pool forget.
  ~AsyncAllocator() override;

  [[nodiscard]] std::string_view name() const noexcept override { return "cudaMallocAsync"; }

  [[nodiscard]] void* allocate(std::size_t bytes, device::Stream stream) override;
  /// A block made before a capture and freed during it is freed after it.
  void free(void* pointer) override;
  /// Warns, once, when `stream` is the block's own.
  void record_stream(void* pointer, device::Stream stream) override;
  /// Waits for the device. @throws DeviceError while a capture is open.
  void empty_cache() override;
  using LimitedAllocator::empty_cache;

  /// Only `all` of allocated, active and reserved bytes, current and peak: what the
  /// driver says of the pool. All else is 0.
  [[nodiscard]] MemoryStatistics stats() const override;
  void reset_peak_stats() override;
  /// Has no effect, and warns so once.
  void reset_accumulated_stats() override;
  [[nodiscard]] LiveAllocations live_allocations() const override;

  [[nodiscard]] std::vector<SegmentInfo> snapshot() const override;
  using LimitedAllocator::snapshot;
  [[nodiscard]] std::optional<BlockInfo> block_info(const void* pointer) const override;
  /// The block itself.
  [[nodiscard]] BaseAllocation base_allocation(const void* pointer) const override;

  /// Only what was allocated here counts.
  void set_memory_fraction(double fraction) override;
  [[nodiscard]] double memory_fraction() const override;

  /// A capture begins: there may be one at a time in the process, on all devices. Its memory is the graph's own, so the
  /// pool is only a name, and graphs that share one cannot disturb each other.
  void begin_allocate_to_pool(PoolId pool, PoolFilter filter) override;
  void end_allocate_to_pool(PoolId pool) override;
  void release_pool(PoolId) override {}
  void join_capture(device::Stream stream) override;

 private:
  struct Allocation {
    std::uint64_t bytes = 0;
    device::Stream stream;
    std::vector<device::Stream> users;  ///< other streams
    bool captured = false;
  };
  struct Limits {
    std::uint64_t bytes = AllocatorSettings::unlimited;
    double fraction = 1.0;
  };

  void initialise();
  void reserve(std::uint64_t bytes);
  void unreserve(std::uint64_t bytes) noexcept;
  [[nodiscard]] device::Result<void*> allocate_on_device(std::uint64_t bytes, device::Stream stream, bool captured);
  [[noreturn]] void fail(std::uint64_t bytes);
  void free_on_device(void* pointer, const Allocation& allocation);
  void free_behind_users(void* pointer, const Allocation& allocation);
  void order_after(device::Stream later, device::Stream earlier);
  [[nodiscard]] device::Stream unifying_stream();
  void note_captured_free(device::Stream stream);
  void warn_once(std::string_view text);
  void settings_changed(const AllocatorSettings& settings) override;

  device::Device& device_;
  StreamPool& streams_;
  WarningSink warn_;
  EventPool events_;

  mutable std::mutex mutex_;  // guards all that follows; not held around a device call
  std::mutex initialise_mutex_;
  std::atomic<bool> initialised_ = false;
  std::unordered_map<void*, Allocation> allocations_;
  std::uint64_t used_ = 0;
  Limits limits_;
  device::Stream unifying_stream_;  ///< frees of blocks that several streams used are ordered here
  std::unordered_set<std::string> warned_;
  bool capture_underway_ = false;
  std::vector<void*> deferred_frees_;
  std::vector<device::Stream> capture_free_streams_;  ///< to be joined before the capture ends
};

}  // namespace gpucheck::runtime
