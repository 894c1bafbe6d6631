#pragma once

#include <atomic>
#include <mutex>
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

  /// An arena held, with room for one change of its counters.
  class CountingLock {
   public:
    CountingLock(State& state, detail::Arena& arena) : state_(state), arena_(arena), lock_(arena.lock) {
      if (has_no_room()) [[unlikely]]
        wait_for_room();
    }
    /// After a change.
    void release() {
      const bool has_room = !has_no_room();
      lock_.unlock();
      if (!has_room) [[unlikely]]
        state_.admit(arena_);
    }
    /// Without a change.
    void give_up() { lock_.unlock(); }

   private:
    [[nodiscard]] bool has_no_room() noexcept { return arena_.counters().room == 0; }
    void wait_for_room();

    State& state_;
    detail::Arena& arena_;
    std::unique_lock<detail::ArenaLock> lock_;
  };
  /// Counts and records a block that was just allocated for `bytes`, with all arenas closed.
  void count_allocation(const detail::Arena& arena, const detail::Block& block, std::uint64_t bytes);
  /// Frees a block in use, with the mutex held, and its arena, which has been admitted, held or
  /// closed. What other streams use goes on in `waiting_frees`, with the uses that are returned.
  [[nodiscard]] std::vector<detail::StreamUse> free_block(detail::Arena& arena, detail::PointerMap::Place place);
  /// How frees that must wait can know the end of the uses, now.
  [[nodiscard]] detail::WaitingFrees::Means means_of_waiting() const noexcept;
  /// empty_cache, with all arenas closed.
  void release_cached(PoolId id);
  /// Gives the arena room to count, with no arena held.
  void admit(detail::Arena& arena);
  [[nodiscard]] bool is_in_use(void* pointer);
  [[nodiscard]] std::vector<SegmentInfo> segments_in(std::optional<PoolId> only) const;

  device::Device& device;
  StreamIds stream_ids;
  detail::SlowPathReasons slow_path;
  detail::Configuration configuration{slow_path};
  detail::Recording recording;
  detail::ArenaTable arenas;
  std::atomic<GpuTraceSink*> trace_sink = nullptr;  ///< changed with all arenas closed
  detail::Locks locks{.mutex = {}, .settling = {}, .arenas = arenas, .recording = recording};
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
