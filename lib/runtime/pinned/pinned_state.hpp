#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "runtime/allocator/routings.hpp"
#include "runtime/pinned/pinned_allocator.hpp"
#include "runtime/pinned/pinned_memory.hpp"
#include "runtime/streams/pools/event_pool.hpp"

namespace gpucheck::runtime {

/// The allocator behind the facade. `mutex_` guards everything but the event pool and
/// the source of memory, which guard themselves; no device call is made and no pool
/// filter, which is the user's, is asked with it held.
class PinnedAllocator::State {
 public:
  explicit State(device::Device& device) : device_(device), events_(device), source_(device) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Allocation allocate(std::size_t bytes, device::Stream stream);
  void free(void* context);
  bool record_event(const void* pointer, const void* context, device::Stream stream);
  void empty_cache();
  void apply(const AllocatorSettings& settings);
  PinnedStatistics stats() const;
  void reset_peak_stats();
  void reset_accumulated_stats();
  DeviceAllocator::LiveAllocations live_allocations() const;
  void begin_allocate_to_pool(PoolId id, PoolFilter filter);
  void end_allocate_to_pool(PoolId id);
  void release_pool(PoolId id);

 private:
  struct Block {
    detail::PinnedMemory memory;
    PoolId pool;
    bool in_use = false;
    std::size_t pending_events = 0;
    std::vector<device::Stream> streams;  ///< that used it since it was allocated
  };
  struct PendingEvent {
    device::UniqueEvent event;
    Block* block = nullptr;
  };
  static constexpr std::size_t class_count = 64;
  using FreeLists = std::array<std::vector<Block*>, class_count>;  // by size class, youngest last
  struct Pool {
    std::unique_ptr<FreeLists> free;  ///< null for one without any: every graph has a pool, few take pinned memory
    int uses = 0;
    std::size_t blocks = 0;  ///< that belong to it
  };
  /// The active statistics of one size class.
  struct Active {
    Statistic requests;
    Statistic bytes;
  };

  static constexpr std::int64_t any_size = -1;  ///< PyTorch's mark, which shows in active_bytes

  [[nodiscard]] static std::size_t class_of(const Block& block) noexcept;
  /// The pool that the filters choose. The lock is held before and after, and released while
  /// they are asked; again when the routings have changed meanwhile.
  [[nodiscard]] PoolId route(device::Stream stream, std::unique_lock<std::mutex>& lock) const;
  [[nodiscard]] static PoolId choose(const detail::Routings& routings, device::Stream stream);
  [[nodiscard]] FreeLists& free_lists(PoolId id);
  [[nodiscard]] Block* reuse_free_block(std::uint64_t rounded, PoolId pool);
  [[nodiscard]] Block* make_block(std::uint64_t rounded, PoolId pool);
  void mark_in_use(Block& block);
  [[nodiscard]] Block* find(const void* pointer, const void* context) const;

  void free_behind_streams(Block& block);
  void insert_events(Block& block, const std::vector<device::Stream>& streams);
  [[nodiscard]] bool any_capturing(const std::vector<device::Stream>& streams);
  void process_deferred();
  void process_events();
  bool process_oldest_event();
  void process_events_of_size(std::uint64_t bytes);
  [[nodiscard]] device::Status query(PendingEvent& entry);
  void require_pending(device::Status status);
  /// `size` is the one looked for, in bytes, or `any_size`.
  void finish(PendingEvent entry, std::int64_t size);
  void ensure_background_thread();

  [[nodiscard]] std::vector<std::unique_ptr<Block>> extract_releasable();
  void extract_from_released_pools(std::vector<Block*>& going);
  void release(const Block& block);

  device::Device& device_;
  EventPool events_;
  detail::PinnedMemorySource source_;

  mutable std::mutex mutex_;
  std::unordered_map<const void*, std::unique_ptr<Block>> blocks_;  ///< by context
  std::unordered_map<const void*, Block*> by_pointer_;
  FreeLists free_;
  std::map<PoolId, Pool> pools_;  ///< private ones, until emptied after their release
  detail::Routings routings_;
  std::deque<PendingEvent> pending_;  ///< youngest first
  /// Freed while a stream that used them was captured: no event can be recorded yet.
  std::vector<Block*> deferred_;
  AllocatorSettings settings_;
  PinnedStatistics statistics_;  ///< all but the active ones
  std::array<Active, class_count> active_;
  std::jthread background_;
};

}  // namespace gpucheck::runtime
