#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "runtime/allocator/errors.hpp"
#include "runtime/allocator/failed_frees.hpp"
#include "runtime/allocator/pool_id.hpp"
#include "runtime/allocator/snapshot.hpp"
#include "runtime/allocator/statistics.hpp"
#include "runtime/settings/settings.hpp"

namespace gpucheck::runtime {

/// Which allocations go to a private pool: asked with the allocation's stream, on the
/// allocating thread, without any lock held. Asked again when routings change meanwhile.
using PoolFilter = std::function<bool(device::Stream)>;

/// What an allocation that is about to fail reports: all in bytes.
struct OutOfMemoryReport {
  int device_ordinal = 0;
  std::uint64_t segment_bytes = 0;  ///< asked of the device
  std::uint64_t limit_bytes = 0;    ///< the memory limit, or the device's total without one
  std::uint64_t free_bytes = 0;     ///< free on the device
};

struct PoolOptions {
  bool use_on_out_of_memory = false;  ///< its free blocks serve other requests before these fail
  bool no_split = false;              ///< its blocks are never split
};

/// A device allocator of the runtime: PyTorch's caching one, its cudaMallocAsync
/// backend, or a library of the user's. What a backend cannot do throws
/// UnsupportedError, as PyTorch's backends do; what it need not know is ignored.
///
/// Sizes are bytes. Thread-safe. The device must outlive it.
class DeviceAllocator {
 public:
  DeviceAllocator() = default;
  DeviceAllocator(const DeviceAllocator&) = delete;
  DeviceAllocator& operator=(const DeviceAllocator&) = delete;
  virtual ~DeviceAllocator() = default;

  /// PyTorch's name of the backend: "native", "cudaMallocAsync" or "pluggable".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// A block of at least `bytes`, usable by work on `stream` at once; null for 0 bytes.
  /// @throws OutOfMemoryError, DeviceError.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, device::Stream stream) = 0;
  /// Frees a block; null is a no-op. @throws Error for a pointer that is not the
  /// start of a block in use; DeviceError.
  virtual void free(void* pointer) = 0;
  /// The same for a destructor. What is rejected is kept for `failed_frees`.
  void free_without_throwing(void* pointer) noexcept {
    failed_frees_.watch([&] { free(pointer); });
  }
  /// Why frees of `free_without_throwing` failed, the oldest first: blocks freed twice, or
  /// freed by somebody else, for example.
  [[nodiscard]] std::vector<std::string> failed_frees() const { return failed_frees_.texts(); }
  /// Work on `stream`, other than the block's own, uses the block: its memory is not
  /// reused before the work submitted there until the `free` is done.
  virtual void record_stream(void* pointer, device::Stream stream) = 0;
  /// Releases cached memory to the device.
  virtual void empty_cache() = 0;
  /// The same for one released private pool.
  virtual void empty_cache(PoolId pool) = 0;

  [[nodiscard]] virtual MemoryStatistics stats() const = 0;
  virtual void reset_peak_stats() = 0;
  virtual void reset_accumulated_stats() = 0;
  /// Blocks allocated and not freed. Every backend can tell.
  struct LiveAllocations {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] virtual LiveAllocations live_allocations() const = 0;

  /// Segments in address order, with their blocks.
  [[nodiscard]] virtual std::vector<SegmentInfo> snapshot() const = 0;
  /// Segments of one pool.
  [[nodiscard]] virtual std::vector<SegmentInfo> snapshot(PoolId pool) const = 0;
  /// The block that starts at `pointer` and is in use, if any.
  [[nodiscard]] virtual std::optional<BlockInfo> block_info(const void* pointer) const = 0;
  struct BaseAllocation {
    void* pointer = nullptr;
    std::uint64_t bytes = 0;
  };
  /// The whole range of device memory that the block in use at `pointer` belongs to.
  /// @throws Error.
  [[nodiscard]] virtual BaseAllocation base_allocation(const void* pointer) const = 0;

  /// Limits what is allocated from the device to a share of its memory; 1 removes the
  /// limit. @throws UsageError outside 0..1.
  virtual void set_memory_fraction(double fraction) = 0;
  [[nodiscard]] virtual double memory_fraction() const = 0;
  /// @throws SettingsError; the settings then stay as they were.
  virtual void set_settings(std::string_view text) = 0;
  [[nodiscard]] virtual AllocatorSettings settings() const = 0;

  /// Called, without any lock held, before an OutOfMemoryError is thrown.
  virtual void add_out_of_memory_observer(std::function<void(const OutOfMemoryReport&)> observer) = 0;

  // -- private pools ------------------------------------------------------------------
  /// Makes the pool, or uses it once more, without routing anything to it.
  virtual void retain_pool(PoolId pool, PoolOptions options) = 0;
  /// From now on allocations that pass the filter come from `pool`; makes the pool or
  /// uses it once more. @throws Error when that is not possible now.
  virtual void begin_allocate_to_pool(PoolId pool, PoolFilter filter) = 0;
  /// Ends the routing. The use stays. @throws Error when there is none.
  virtual void end_allocate_to_pool(PoolId pool) = 0;
  /// Drops one use. @throws Error for an unknown pool.
  virtual void release_pool(PoolId pool) = 0;
  /// Before the capture on `stream` ends: joins to it the streams that the allocator
  /// itself gave work to meanwhile. @throws DeviceError.
  virtual void join_capture(device::Stream) {}
  /// Uses left of a pool; 0 for one that was released or never made.
  [[nodiscard]] virtual int pool_use_count(PoolId pool) const = 0;
  /// Whether exactly `pointers` are the blocks in use of the pool. @throws Error for an
  /// unknown pool.
  [[nodiscard]] virtual bool has_exactly_live(PoolId pool, const std::vector<const void*>& pointers) const = 0;

 private:
  FailedFrees failed_frees_;
};

}  // namespace gpucheck::runtime
