#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "runtime/allocator/device_allocator.hpp"
#include "runtime/allocator/failed_frees.hpp"
#include "runtime/pinned/pinned_statistics.hpp"

namespace gpucheck::runtime {

/// PyTorch 2.11's caching allocator of page-locked host memory. Sizes are rounded up to
/// powers of two, blocks are never split, and the block freed last is the first to be
/// used again, once the work of every stream that used it is done.
///
/// Finished work is noticed at the next allocation, oldest free first: one that is not
/// done holds up all younger ones, whatever their size. Sizes are bytes. Thread-safe.
/// The device must outlive it.
class PinnedAllocator {
 public:
  /// Makes no device call.
  explicit PinnedAllocator(device::Device& device);
  /// Waits for the device, then frees all memory, also blocks in use.
  ~PinnedAllocator();
  PinnedAllocator(const PinnedAllocator&) = delete;
  PinnedAllocator& operator=(const PinnedAllocator&) = delete;

  /// What an allocation is known by: `record_event` finds the block by either, and so
  /// also for a pointer into its middle, as a view has.
  struct Allocation {
    void* pointer = nullptr;
    void* context = nullptr;
  };
  /// A block of at least `bytes`; nulls for 0. `stream` is the caller's current one: a
  /// capture on it decides whether a private pool serves. @throws DeviceError, Error.
  [[nodiscard]] Allocation allocate(std::size_t bytes, device::Stream stream);
  /// Takes a block back; null is a no-op. @throws Error for what is not a context of a
  /// block in use; DeviceError.
  void free(void* context);
  /// The same for a destructor. What is rejected is kept for `failed_frees`.
  void free_without_throwing(void* context) noexcept {
    failed_frees_.watch([&] { free(context); });
  }
  /// See DeviceAllocator::failed_frees.
  [[nodiscard]] std::vector<std::string> failed_frees() const { return failed_frees_.texts(); }
  /// Work on `stream` uses the block of that context or else, with none, the block that
  /// starts at `pointer`. False when there is no such block: the memory is another's.
  bool record_event(const void* pointer, const void* context, device::Stream stream);
  /// Releases every free block whose work is done, and what is left of released pools.
  void empty_cache();

  /// Takes the pinned_* settings over. They hold for what is made from now on.
  void apply(const AllocatorSettings& settings);

  [[nodiscard]] PinnedStatistics stats() const;
  void reset_peak_stats();
  void reset_accumulated_stats();
  /// Blocks allocated and not freed.
  [[nodiscard]] DeviceAllocator::LiveAllocations live_allocations() const;

  /// Routing to a graph's own pool, as DeviceAllocator's calls of the same names. A
  /// pool's block that a stream used is not used again: a graph may replay that work.
  void begin_allocate_to_pool(PoolId pool, PoolFilter filter);
  void end_allocate_to_pool(PoolId pool);
  /// The pool's blocks are released by the next `empty_cache`, once not in use.
  void release_pool(PoolId pool);

 private:
  class State;
  std::unique_ptr<State> state_;
  FailedFrees failed_frees_;
};

/// Whether the driver knows `pointer` as page-locked host memory, whoever made it so.
/// @throws DeviceError.
[[nodiscard]] bool is_pinned(device::Device& device, const void* pointer);

}  // namespace gpucheck::runtime
