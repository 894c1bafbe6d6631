#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "device/handles.hpp"
#include "runtime/pool_id.hpp"

namespace gpucheck::runtime {

/// What a caching allocator did. The names are those of a memory snapshot's trace.
enum class MemoryAction : std::uint8_t {
  alloc,           ///< handed a block out; size: the bytes asked for
  free_requested,  ///< the caller gave a block up; size: the bytes once asked for
  free_completed,  ///< nobody uses that block any more
  segment_alloc,   ///< obtained a segment from the device; size: its bytes
  segment_free,    ///< gave one back
  segment_map,     ///< mapped memory into an expandable segment; size: the bytes mapped
  segment_unmap,
  oom,       ///< failed; address: bytes free on the device, size: the rounded request
  snapshot,  ///< an observer's own: it was asked for one; size: bytes then active
};

/// "alloc", "free_requested" and so on.
const char* name_of(MemoryAction action) noexcept;

struct MemoryEvent {
  MemoryAction action = MemoryAction::alloc;
  std::uintptr_t address = 0;
  std::uint64_t size = 0;      ///< in bytes
  device::Stream stream = {};  ///< the block's or segment's own
  PoolId pool = {};
  bool was_split = false;  ///< of segment_free: see SegmentInfo
};

/// The calls during which events arise.
enum class MemoryCall : std::uint8_t { allocate, free, empty_cache, checkpoint_read, checkpoint_write };

using MemoryCallSet = std::uint32_t;
constexpr MemoryCallSet bit(MemoryCall call) noexcept { return 1U << static_cast<unsigned>(call); }

/// An observer's own number for where a call came from; 0 is unknown.
using CallContext = std::uint32_t;
inline constexpr CallContext no_call_context = 0;

/// Told of everything that a CachingAllocator does. Must not call the allocator.
///
/// Events come in shards, numbered from 0: those of one shard never at the same time and
/// in the order in which they happened, those of different shards possibly at once. What
/// is kept for each shard therefore needs no lock of its own.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;

  /// At the start of a call, on its thread, without any lock held. The result comes back
  /// with the events of that call.
  [[nodiscard]] CallContext context_of(MemoryCall call) noexcept {
    if ((captured_calls_.load(std::memory_order_relaxed) & bit(call)) == 0) return no_call_context;
    return capture(call);
  }
  /// Shards below `count` may be used from now on. Nothing else is called meanwhile.
  virtual void prepare_shards(std::size_t count) = 0;
  virtual void record(std::size_t shard, const MemoryEvent& event, CallContext context) noexcept = 0;
  /// The event free_requested and, in the same moment, free_completed.
  virtual void record_free(std::size_t shard, const MemoryEvent& requested, CallContext context) noexcept = 0;

  MemoryObserver(const MemoryObserver&) = delete;
  MemoryObserver& operator=(const MemoryObserver&) = delete;

 protected:
  MemoryObserver() = default;
  /// Which calls `capture` is asked about; at first none.
  void capture_calls(MemoryCallSet calls) noexcept { captured_calls_.store(calls, std::memory_order_relaxed); }
  [[nodiscard]] virtual CallContext capture(MemoryCall call) noexcept = 0;

 private:
  std::atomic<MemoryCallSet> captured_calls_ = 0;
};

}  // namespace gpucheck::runtime
