#pragma once

#include <functional>
#include <list>
#include <utility>
#include <vector>

#include "runtime/caching/detail/arena.hpp"
#include "runtime/streams/event_pool.hpp"
#include "runtime/streams/stream_pool.hpp"
#include "runtime/streams/stream_table.hpp"

namespace gpucheck::runtime::detail {

/// A block, wherever it is.
struct BlockRef {
  Arena* arena = nullptr;
  BlockIndex index = no_block;
  [[nodiscard]] Block& block() const noexcept { return (*arena)[index]; }
  explicit operator bool() const noexcept { return index != no_block; }
};

/// Blocks that were given up while other streams still used them: each waits for one
/// event per stream. Needs all arenas' locks.
class PendingFrees {
 public:
  using OnComplete = std::function<void(BlockRef)>;

  PendingFrees(device::Device& device, StreamIds stream_ids)
      : device_(device), stream_ids_(std::move(stream_ids)), events_(device), queues_(device.ordinal()) {}

  /// The block waits for what is now submitted to `streams`, given in the order in which
  /// they were recorded. @throws DeviceError.
  void add(BlockRef ref, const std::vector<device::Stream>& streams);
  /// Tells of blocks whose last event is complete. Streams do not wait for each other:
  /// an event that is not ready holds up those after it on its own stream only.
  void poll(const OnComplete& on_complete);
  /// Waits for the events of `pool`'s blocks (of all blocks when null).
  void wait(const Pool* pool, const OnComplete& on_complete);
  [[nodiscard]] bool empty() const noexcept { return queues_.empty(); }

 private:
  struct Entry {
    device::UniqueEvent event;
    BlockRef ref;
  };
  using Queue = std::list<Entry>;

  void add(BlockRef ref, device::Stream stream, std::int64_t id);
  /// True when the front of the queue was complete and is gone.
  bool poll_front(Queue& queue, const OnComplete& on_complete);
  void complete(Entry entry, const OnComplete& on_complete);

  device::Device& device_;
  StreamIds stream_ids_;
  EventPool events_;
  StreamTable<Queue> queues_;  ///< none is empty
};

}  // namespace gpucheck::runtime::detail
