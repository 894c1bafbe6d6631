#pragma once

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
  oom,  ///< failed; address: bytes free on the device, size: the rounded request
};

/// "alloc", "free_requested" and so on.
const char* name_of(MemoryAction action) noexcept;

struct MemoryEvent {
  MemoryAction action = MemoryAction::alloc;
  std::uintptr_t address = 0;
  std::uint64_t size = 0;  ///< in bytes
  device::Stream stream;   ///< the block's or segment's own
  PoolId pool;
  bool was_split = false;  ///< of segment_free: see SegmentInfo
};

/// The calls during which events arise.
enum class MemoryCall : std::uint8_t { allocate, free, empty_cache, checkpoint_read, checkpoint_write };

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
  [[nodiscard]] virtual CallContext capture(MemoryCall call) noexcept = 0;
  /// Shards below `count` may be used from now on. Nothing else is called meanwhile.
  virtual void prepare_shards(std::size_t count) = 0;
  virtual void record(std::size_t shard, const MemoryEvent& event, CallContext context) noexcept = 0;
  /// The event free_requested and, in the same moment, free_completed.
  virtual void record_free(std::size_t shard, const MemoryEvent& requested, CallContext context) noexcept = 0;

 protected:
  MemoryObserver() = default;
  MemoryObserver(const MemoryObserver&) = default;
  MemoryObserver& operator=(const MemoryObserver&) = default;
};

}  // namespace gpucheck::runtime
