#pragma once

#include <atomic>
#include <optional>
#include <unordered_set>
#include <vector>

#include "runtime/caching/caching_allocator.hpp"
#include "runtime/caching/callbacks.hpp"
#include "runtime/caching/frees/waiting_frees.hpp"
#include "runtime/caching/segments/segments.hpp"
#include "runtime/caching/shared/configuration.hpp"
#include "runtime/caching/shared/locks.hpp"
#include "runtime/caching/shared/recording.hpp"
#include "runtime/caching/statistics/statistics_table.hpp"
#include "runtime/caching/tables/arena_table.hpp"
#include "runtime/caching/tables/pool_table.hpp"
#include "runtime/caching/tables/slow_path_reasons.hpp"

namespace gpucheck::runtime {

/// The parts of the allocator; what its calls do with them is in the files of the calls beside
/// caching_allocator.hpp. README.md says what guards what.
struct CachingAllocator::State {
  State(device::Device& device, const AllocatorSettings& settings, StreamIds stream_ids);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Fast path: what needs one arena's lock and nothing else.
  [[nodiscard]] void* allocate(std::size_t bytes, device::Stream stream);
  void free(void* pointer);

  /// An arena exceeded a quota and its lock was released.
  void rebalance(detail::Arena& arena);
  /// Counts and records a block that was just allocated for `bytes`, with all arenas closed.
  void count_allocation(const detail::Arena& arena, const detail::Heap& heap, detail::Heap::Allocated allocated,
                        std::uint64_t bytes);
  /// Frees a block in use, with its arena's lock held or closed and the mutex held. What other
  /// streams use goes on in `waiting_frees`, with the uses that are returned.
  struct Freed {
    std::vector<detail::StreamUse> uses;
    bool exceeded = false;  ///< a quota
  };
  [[nodiscard]] Freed free_block(detail::Arena& arena, detail::PointerMap::Place place);
  /// How frees that must wait can know the end of the uses, now.
  [[nodiscard]] detail::WaitingFrees::Means means_of_waiting() const noexcept;
  /// empty_cache, with all arenas closed.
  void release_cached(PoolId id);
  [[nodiscard]] bool is_in_use(void* pointer);
  [[nodiscard]] std::vector<SegmentInfo> segments_in(std::optional<PoolId> only) const;

  device::Device& device;
  StreamIds stream_ids;
  detail::SlowPathReasons slow_path;
  detail::Configuration configuration{slow_path};
  detail::Recording recording;
  detail::ArenaTable arenas;
  std::atomic<GpuTraceSink*> trace_sink = nullptr;  ///< changed with all arenas closed
  detail::Locks locks{.mutex = {}, .arenas = arenas, .recording = recording};
  detail::PoolTable pools{slow_path};
  detail::StatisticsTable statistics;
  detail::WaitingFrees waiting_frees{device, statistics, recording, slow_path};
  detail::Segments segments{{device, configuration, arenas, pools, statistics, recording}};
  detail::Callbacks callbacks;
  std::unordered_set<void*> uncached_pointers;  ///< guarded by the mutex
};

namespace detail {
/// A segment, or a range of an expandable one that has memory, from its first block on.
[[nodiscard]] SegmentInfo segment_info(const Arena& arena, const Heap& heap, BlockIndex first);
}  // namespace detail

}  // namespace gpucheck::runtime
