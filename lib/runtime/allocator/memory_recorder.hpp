#pragma once

#include <cstddef>
#include <cstdint>

#include "device/values/handles.hpp"
#include "runtime/allocator/pool_id.hpp"

namespace gpucheck::runtime {

/// What a caching allocator did. The names are those of a memory snapshot's trace.
enum class MemoryAction : std::uint8_t {
  alloc,           ///< allocated a block; size: the bytes asked for
  free_requested,  ///< the caller freed a block; size: the bytes once asked for
  free_completed,  ///< nobody uses that block any more
  segment_alloc,   ///< obtained a segment from the device; size: its bytes
  segment_free,    ///< freed one
  segment_map,     ///< mapped memory into an expandable segment; size: the bytes mapped
  segment_unmap,
  oom,       ///< failed; address: bytes free on the device, size: the rounded request
  snapshot,  ///< a recorder's own: it was asked for one; size: bytes then active
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

/// A recorder's own number for where a call came from.
using CallerNumber = std::uint32_t;
inline constexpr CallerNumber unknown_caller = 0;

/// What a recorder notes at the start of a call.
struct CallContext {
  CallerNumber caller = unknown_caller;
  std::uint64_t ticks = 0;  ///< when the call began, in units of the recorder's own; 0 is unknown
};
inline constexpr CallContext no_call_context{};

/// Reported of everything that a CachingAllocator does, in the moment in which it does it.
///
/// This is not a callback for users: `record`, `record_free` and `prepare_shards` are called with
/// the allocator's locks held, since only so do a block's events come in their order without a
/// lock more. They must do little, must not wait, and must not call the allocator. It exists
/// for the memory history (lib/observe), which users ask for what was recorded.
///
/// Events come in shards, numbered from 0: those of one shard never at the same time and
/// in the order in which they happened, those of different shards possibly at once. What
/// is kept for each shard therefore needs no lock of its own.
class MemoryRecorder {
 public:
  virtual ~MemoryRecorder() = default;

  /// At the start of a call, on its thread, without any lock held. The result comes back
  /// with the events of that call; without `ticks` where they may come much later than it.
  [[nodiscard]] virtual CallContext context_of(MemoryCall call) noexcept = 0;
  /// Shards below `count` may be used from now on. Nothing else is called meanwhile.
  virtual void prepare_shards(std::size_t count) = 0;
  virtual void record(std::size_t shard, const MemoryEvent& event, CallContext context) noexcept = 0;
  /// The event free_requested and, in the same moment, free_completed.
  virtual void record_free(std::size_t shard, const MemoryEvent& requested, CallContext context) noexcept = 0;

  MemoryRecorder(const MemoryRecorder&) = delete;
  MemoryRecorder& operator=(const MemoryRecorder&) = delete;

 protected:
  MemoryRecorder() = default;
};

}  // namespace gpucheck::runtime
