#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "runtime/allocator/device_allocator.hpp"
#include "runtime/caching/pool_checkpoint.hpp"
#include "runtime/streams/pools/stream_pool.hpp"

namespace gpucheck::runtime {

class GpuTraceSink;
class MemoryRecorder;

/// PyTorch 2.11's caching device allocator: the same calls give the same decisions and
/// the same statistics. Memory is obtained from the device in segments, cut into blocks
/// and kept for reuse by the stream it was first allocated for.
///
/// Sizes are bytes. Thread-safe. Threads that use different streams do not wait for
/// each other as long as cached blocks serve them. The device must outlive it.
class CachingAllocator final : public DeviceAllocator {
 public:
  struct State;
  /// Makes no device call. In which order streams are asked for completed events follows
  /// from `stream_ids`, which must be callable as long as the allocator lives.
  explicit CachingAllocator(device::Device& device, const AllocatorSettings& settings = {},
                            StreamIds stream_ids = id_outside_pools);
  /// Frees every segment on the device, also those with blocks in use.
  ~CachingAllocator() override;

  [[nodiscard]] std::string_view name() const noexcept override { return "native"; }

  /// A block of at least `bytes`, usable by work on `stream` at once; null for 0 bytes.
  /// @throws OutOfMemoryError, DeviceError.
  [[nodiscard]] void* allocate(std::size_t bytes, device::Stream stream) override;
  /// Frees a block; null is a no-op. Reuse waits for the streams given to
  /// `record_stream`. @throws Error for a pointer that is not the start of a block in use.
  void free(void* pointer) override;
  /// Work on `stream`, other than the block's own, uses the block: it is not reused
  /// before the work submitted there until the `free` is done. Null and pointers of
  /// other owners are ignored.
  void record_stream(void* pointer, device::Stream stream) override;
  /// Waits for all outstanding events, then gives segments without blocks in use back
  /// to the device. While a capture is open only released private pools are trimmed.
  void empty_cache() override;
  /// The same for one released private pool.
  void empty_cache(PoolId pool) override;

  [[nodiscard]] MemoryStatistics stats() const override;
  [[nodiscard]] LiveAllocations live_allocations() const override;
  /// Two of the statistics, for a fraction of what all of them cost.
  [[nodiscard]] MemoryUsage usage() const;
  void reset_peak_stats() override;
  void reset_accumulated_stats() override;
  /// Segments in address order, with their blocks.
  [[nodiscard]] std::vector<SegmentInfo> snapshot() const override;
  /// Segments of one pool.
  [[nodiscard]] std::vector<SegmentInfo> snapshot(PoolId pool) const override;
  /// The block that starts at `pointer` and is in use, if any.
  [[nodiscard]] std::optional<BlockInfo> block_info(const void* pointer) const override;
  /// The whole segment that the block in use at `pointer` was cut from. @throws Error.
  [[nodiscard]] BaseAllocation base_allocation(const void* pointer) const override;

  /// Limits what is reserved to a share of the device's memory; 1 removes the limit.
  /// @throws UsageError outside 0..1.
  void set_memory_fraction(double fraction) override;
  [[nodiscard]] double memory_fraction() const override;
  /// @throws SettingsError; the settings then stay as they were.
  void set_settings(std::string_view text) override;
  [[nodiscard]] AllocatorSettings settings() const override;
  /// When off, each allocation goes straight to the device and no statistics move.
  void set_caching(bool enabled);
  /// Bytes of host memory held for bookkeeping, all structures together.
  [[nodiscard]] std::size_t bookkeeping_bytes() const;

  // -- callbacks: none is called with any lock held, so that each may call the allocator ----
  /// Called before an OutOfMemoryError is thrown.
  void add_out_of_memory_observer(std::function<void(const OutOfMemoryReport&)> observer) override;
  /// Asked to free memory when no cached block fits; returns whether it did.
  void add_free_memory_callback(std::function<bool()> callback);
  /// Reports how much device memory this process uses, for the error text; empty when
  /// that is not known (the sentence is then left out).
  void set_process_memory_query(std::function<std::optional<std::uint64_t>()> query);

  /// Reports `recorder`, if any, of everything from now on; null ends that. It must live until
  /// another is set and the calls then in progress are over. It is called with locks held: see
  /// MemoryRecorder, which is not a callback for users.
  void set_memory_recorder(MemoryRecorder* recorder);
  /// While it lives no call of the allocator is in progress and others wait: what a recorder
  /// keeps can be changed. Its holder must not call the allocator.
  class Pause {
   public:
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    /// What `snapshot` returns.
    [[nodiscard]] std::vector<SegmentInfo> segments() const;

   private:
    friend class CachingAllocator;
    struct Lock;
    explicit Pause(State& state);
    std::unique_ptr<Lock> lock_;
  };
  [[nodiscard]] Pause pause() const;
  /// Reports `sink`, if any, of each block allocated or freed, without any lock held; null ends
  /// that. It must live as a recorder must.
  void set_gpu_trace_sink(GpuTraceSink* sink);

  // -- private pools ------------------------------------------------------------------
  /// Makes the pool, or uses it once more, without routing anything to it.
  void retain_pool(PoolId pool, PoolOptions options = {}) override;
  /// From now on allocations that pass the filter come from `pool`; makes the pool or
  /// uses it once more. @throws Error when the pool is already being routed to.
  void begin_allocate_to_pool(PoolId pool, PoolFilter filter) override;
  /// Ends the routing. The use stays. @throws Error when there is none.
  void end_allocate_to_pool(PoolId pool) override;
  /// Drops one use; an unused pool's segments go back to the device at the next
  /// empty_cache or shortage. @throws Error for an unknown pool.
  void release_pool(PoolId pool) override;
  /// Uses left of a pool; 0 for one that was released or never made.
  [[nodiscard]] int pool_use_count(PoolId pool) const override;
  /// Whether exactly `pointers` are the blocks in use of the pool. @throws Error for an
  /// unknown pool.
  [[nodiscard]] bool has_exactly_live(PoolId pool, const std::vector<const void*>& pointers) const override;

  /// What is in use in a private pool now, to come back to with `restore`. @throws Error
  /// for an unknown or released pool, and while a free in it is pending.
  [[nodiscard]] PoolCheckpoint checkpoint(PoolId pool);
  /// Frees what is in use in the checkpoint's pool, then cuts its segments into blocks as
  /// they were: the same addresses are in use again. Segments made since stay, free.
  /// Contents are not its business. See also `restore_pool`. @throws Error, with nothing
  /// changed, for an unknown or released pool, when a segment is gone, and while a block
  /// of the pool is used by another stream.
  PoolRestoration restore(const PoolCheckpoint& checkpoint);

 private:
  std::unique_ptr<State> state_;
};

/// Filters for `begin_allocate_to_pool`.
PoolFilter on_this_thread();
PoolFilter on_stream(device::Stream stream);

}  // namespace gpucheck::runtime
