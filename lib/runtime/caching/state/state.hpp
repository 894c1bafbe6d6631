#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/allocator/memory_observer.hpp"
#include "runtime/caching/caching_allocator.hpp"
#include "runtime/caching/detail/arena.hpp"
#include "runtime/caching/detail/deferred_frees.hpp"
#include "runtime/caching/detail/ledger.hpp"
#include "runtime/caching/detail/lookup.hpp"
#include "runtime/caching/detail/pending_frees.hpp"
#include "runtime/caching/detail/pool.hpp"
#include "runtime/caching/detail/reservation.hpp"

namespace gpucheck::runtime {

/// The allocator behind the facade.
///
/// Locks: an arena's lock guards the arena. `Exclusive` holds `mutex_` and then every
/// arena's lock; whatever is not an arena's is changed only under it, so that holding
/// any arena's lock is enough to read. A cached block is handed out and taken back under
/// its arena's lock alone; everything else is exclusive.
class CachingAllocator::State {
 public:
  State(device::Device& device, const AllocatorSettings& settings, StreamIds stream_ids);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void* allocate(std::size_t bytes, device::Stream stream);
  void free(void* pointer);
  void record_stream(void* pointer, device::Stream stream);
  void empty_cache(PoolId pool);

  MemoryStatistics stats();
  MemoryUsage usage();
  void reset_peak_stats();
  void reset_accumulated_stats();
  std::vector<SegmentInfo> snapshot(std::optional<PoolId> only);
  std::optional<BlockInfo> block_info(const void* pointer);
  BaseAllocation base_allocation(const void* pointer);
  std::size_t bookkeeping_bytes();

  void set_memory_observer(MemoryObserver* observer);
  void inspect(const std::function<void(std::vector<SegmentInfo>)>& visit);
  void set_gpu_trace_sink(GpuTraceSink* sink);
  [[nodiscard]] bool is_traced() const noexcept { return trace_sink_.load(std::memory_order_relaxed) != nullptr; }
  void announce_allocation(const void* pointer) const noexcept;
  void announce_deallocation(void* pointer);

  void set_memory_fraction(double fraction);
  double memory_fraction();
  void set_settings(std::string_view text);
  AllocatorSettings settings();
  void set_caching(bool enabled);
  void add_out_of_memory_observer(std::function<void(const OutOfMemoryReport&)> observer);
  void add_free_memory_callback(std::function<bool()> callback);
  void set_process_memory_query(std::function<std::optional<std::uint64_t>()> query);

  void retain_pool(PoolId id, PoolOptions options);
  void begin_allocate_to_pool(PoolId id, PoolFilter filter);
  void end_allocate_to_pool(PoolId id);
  void release_pool(PoolId id);
  int pool_use_count(PoolId id);
  bool has_exactly_live(PoolId id, const std::vector<const void*>& pointers);
  PoolCheckpoint checkpoint(PoolId id);
  PoolRestoration restore(const PoolCheckpoint& checkpoint);

 private:
  using Block = detail::Block;
  using BlockIndex = detail::BlockIndex;
  using BlockRef = detail::BlockRef;
  using Arena = detail::Arena;
  using Pool = detail::Pool;

  /// Everything locked. Private pools, statistics and the device are touched under it.
  class Exclusive {
   public:
    /// `context`: of the call that needs it, for the observer.
    explicit Exclusive(State& state, CallContext context = no_call_context);
    ~Exclusive();
    Exclusive(const Exclusive&) = delete;
    Exclusive& operator=(const Exclusive&) = delete;
    void lock();
    void unlock();

   private:
    State& state_;
    CallContext context_;
    bool locked_ = false;
  };
  /// Gives the locks back for a scope. Afterwards nothing is as it was: arenas, pools and
  /// settings may have come, gone and changed.
  class Released {
   public:
    explicit Released(Exclusive& lock) : lock_(lock) { lock_.unlock(); }
    ~Released() { lock_.lock(); }
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;

   private:
    Exclusive& lock_;
  };

  /// Why an allocation cannot be served under its arena's lock alone.
  enum Attention : unsigned {
    uncached = 1U << 0U,
    routing = 1U << 1U,
    pending_frees = 1U << 2U,
    garbage_collection = 1U << 3U,
  };

  struct Request {
    Arena* arena = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t rounded = 0;
    std::uint64_t segment_bytes = 0;
    [[nodiscard]] PoolKind kind() const noexcept { return kind_of(rounded); }
  };
  struct Routing {
    PoolId pool;
    PoolFilter filter;
  };

  // -- allocate.cpp
  [[nodiscard]] Arena::HandedOut hand_out_cached(Arena& arena, std::size_t bytes);
  void* allocate_exclusively(std::size_t bytes, device::Stream stream, CallContext context);
  void* allocate_uncached(std::size_t bytes);
  [[nodiscard]] std::uint64_t rounded_size(std::uint64_t bytes) const noexcept {
    return has_divisions_ ? round_size(bytes, settings_) : round_up_to_block(bytes);
  }
  [[nodiscard]] Request prepare(std::size_t bytes, device::Stream stream);
  [[nodiscard]] BlockRef search(const Request& request);
  [[nodiscard]] BlockRef search_or_ask(const Request& request, Exclusive& lock);
  [[nodiscard]] BlockRef search_last_resort(const Request& request);
  [[nodiscard]] BlockRef find_or_obtain(const Request& request, Exclusive& lock);
  void* hand_out(BlockRef ref, const Request& request);
  [[nodiscard]] SplitPolicy policy_in(const Arena& arena, const Request& request) const;
  /// Accounts for a block that was just handed out for `bytes`.
  void* account(Arena& arena, Arena::HandedOut handed, std::uint64_t bytes);

  // -- segments.cpp
  [[nodiscard]] BlockRef obtain_segment(const Request& request, Exclusive& lock, bool is_retry);
  [[nodiscard]] device::Result<void*> allocate_on_device(const Request& request, Exclusive& lock);
  [[nodiscard]] BlockRef add_segment(const Request& request, void* memory);
  void release_segment(BlockRef ref);
  void collect_garbage();
  bool release_oversize(const Request& request);
  void release_cached(PoolId id);
  void release_unsplit(Pool& pool, PoolKind kind);
  [[nodiscard]] static std::vector<BlockRef> free_blocks(const Pool& pool, PoolKind kind);

  // -- expandable.cpp
  [[nodiscard]] BlockRef obtain_expandable(const Request& request);
  [[nodiscard]] BlockIndex find_room(Arena& arena, PoolKind kind, std::uint64_t bytes);
  [[nodiscard]] std::uint64_t reservation_bytes() const;
  void reserve(Arena& arena, PoolKind kind);
  /// Gives memory to at least the first `bytes` of a block without; no_block when the
  /// device has none left.
  [[nodiscard]] BlockIndex add_memory(BlockRef ref, std::uint64_t bytes);
  void wait_for_users(const Arena& arena);
  /// Gives the memory of all pages inside a free block back to the device.
  void remove_memory(BlockRef ref);
  [[nodiscard]] detail::Reservation& reservation_of(std::uintptr_t address);

  // -- free.cpp
  void free_exclusively(void* pointer, CallContext context);
  [[nodiscard]] BlockRef find_live(const void* pointer);
  /// The caller gives up a block in use.
  void give_up(BlockRef ref);
  /// The last event of a pending free is complete.
  void finish_pending(BlockRef ref);
  void insert_events(BlockRef ref);
  void process_deferred();
  /// Blocks of `stream` become free whose uses the capture orders before its next work.
  void finish_ordered(device::Stream stream);
  void synchronize_events(const Pool* pool);

  // -- observers.cpp
  /// Where the call comes from, if anybody wants to know. To be asked before any lock is taken.
  [[nodiscard]] CallContext capture(MemoryCall call) const noexcept {
    MemoryObserver* const observer = observer_.load(std::memory_order_relaxed);
    return observer == nullptr ? no_call_context : observer->context_of(call);
  }
  /// Both tell the observer, with the arena's lock held. It may have gone since `capture`.
  void record(const Arena& arena, const MemoryEvent& event, CallContext context) const noexcept {
    MemoryObserver* const observer = observer_.load(std::memory_order_relaxed);
    if (observer != nullptr) observer->record(arena.number(), event, context);
  }
  void record_free(const Arena& arena, std::uintptr_t address, std::uint64_t size, CallContext context) const noexcept {
    MemoryObserver* const observer = observer_.load(std::memory_order_relaxed);
    if (observer == nullptr) return;
    observer->record_free(arena.number(), event_of(arena, MemoryAction::free_requested, address, size), context);
  }
  void record_allocation(const Arena& arena, std::uintptr_t address, std::uint64_t size,
                         CallContext context) const noexcept {
    record(arena, event_of(arena, MemoryAction::alloc, address, size), context);
  }
  static MemoryEvent event_of(const Arena& arena, MemoryAction action, std::uintptr_t address, std::uint64_t size) {
    return {action, address, size, arena.stream(), arena.pool().id};
  }
  /// The same for what happens with everything locked.
  void record(const Arena& arena, MemoryAction action, std::uintptr_t address, std::uint64_t size) const noexcept {
    record(arena, event_of(arena, action, address, size), context_);
  }
  [[nodiscard]] bool is_in_use(void* pointer);
  [[nodiscard]] std::vector<SegmentInfo> segments_in(std::optional<PoolId> only) const;

  // -- checkpoints.cpp
  [[nodiscard]] const Pool& pool_to_restore(const PoolCheckpoint& checkpoint);
  [[nodiscard]] static BlockRef first_block_at(const Pool& pool, std::uintptr_t address);
  void free_all(const Pool& pool, PoolRestoration& result);
  void restore_segment(BlockRef first, const PoolCheckpoint::Segment& segment, PoolRestoration& result);

  // -- out_of_memory.cpp
  [[noreturn]] void fail(const Request& request, Exclusive& lock);
  [[nodiscard]] std::string out_of_memory_text(const Request& request, const device::MemoryInfo& memory,
                                               std::optional<std::uint64_t> process_bytes);

  // -- state.cpp
  [[nodiscard]] Arena& arena_for(Pool& pool, device::Stream stream);
  [[nodiscard]] Pool& pool_for(device::Stream stream);
  [[nodiscard]] Pool* find_pool(PoolId id);
  void use_pool(PoolId id, PoolOptions options);
  [[nodiscard]] static SegmentInfo segment_info(const Arena& arena, BlockIndex first);
  void settle(Arena& arena);
  /// The same when nothing is locked yet.
  void settle_alone(Arena& arena);
  void settle_all();
  void update_attention();
  void apply(AllocatorSettings settings);

  device::Device& device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Arena>> arenas_;
  std::vector<detail::Counters*> counters_;  ///< of arenas_, in the same order
  std::vector<Arena*> idle_arenas_;          ///< of private pools that are gone
  detail::StreamMap default_arenas_;
  detail::AddressMap addresses_;
  unsigned attention_ = 0;
  std::atomic<MemoryObserver*> observer_ = nullptr;  ///< changed with everything locked
  std::atomic<GpuTraceSink*> trace_sink_ = nullptr;  ///< changed with everything locked
  CallContext context_ = no_call_context;            ///< of the call that has everything locked

  std::map<std::uintptr_t, std::unique_ptr<detail::Reservation>> reservations_;  ///< by address
  Pool default_pool_;
  std::map<PoolId, std::unique_ptr<Pool>> pools_;
  std::vector<Routing> routings_;
  detail::PendingFrees pending_;
  detail::DeferredFrees deferred_;  ///< given up with stream uses while routing

  AllocatorSettings settings_;
  SplitPolicy policy_;
  bool has_divisions_ = false;          ///< whether settings_ has any for the rounding
  std::uint64_t bytes_on_the_way_ = 0;  ///< that threads without the lock are asking the device for
  double fraction_ = 1.0;
  std::optional<std::uint64_t> limit_;
  bool caching_ = true;
  std::unordered_set<void*> uncached_pointers_;

  detail::Ledger ledger_;
  MemoryStatistics totals_;  ///< all but the ledger's figures

  std::vector<std::function<void(const OutOfMemoryReport&)>> observers_;
  std::vector<std::function<bool()>> free_memory_callbacks_;
  std::function<std::optional<std::uint64_t>()> process_memory_query_;
};

}  // namespace gpucheck::runtime
