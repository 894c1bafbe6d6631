#pragma once

#include <cstddef>
#include <cstdint>

#include "device/handles.hpp"
#include "runtime/allocator/pool_id.hpp"

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

/// An observer's own number for where a call came from.
using CallerNumber = std::uint32_t;
inline constexpr CallerNumber unknown_caller = 0;

/// What an observer notes at the start of a call.
struct CallContext {
  CallerNumber caller = unknown_caller;
  std::uint64_t ticks = 0;  ///< when the call began, in units of the observer's own; 0 is unknown
};
inline constexpr CallContext no_call_context{};

/// Told of everything that a CachingAllocator does. Must not call the allocator.
///
/// Events come in shards, numbered from 0: those of one shard never at the same time and
/// in the order in which they happened, those of different shards possibly at once. What
/// is kept for each shard therefore needs no lock of its own.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;

  /// At the start of a call, on its thread, without any lock held. The result comes back
  /// with the events of that call; without `ticks` where they may come much later than it.
  [[nodiscard]] virtual CallContext context_of(MemoryCall call) noexcept = 0;
  /// Shards below `count` may be used from now on. Nothing else is called meanwhile.
  virtual void prepare_shards(std::size_t count) = 0;
  virtual void record(std::size_t shard, const MemoryEvent& event, CallContext context) noexcept = 0;
  /// The event free_requested and, in the same moment, free_completed.
  virtual void record_free(std::size_t shard, const MemoryEvent& requested, CallContext context) noexcept = 0;

  MemoryObserver(const MemoryObserver&) = delete;
  MemoryObserver& operator=(const MemoryObserver&) = delete;

 protected:
  MemoryObserver() = default;
};

}  // namespace gpucheck::runtime
