#pragma once

#include <deque>
#include <functional>
#include <map>

#include "runtime/detail/arena.hpp"
#include "runtime/event_pool.hpp"

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

  explicit PendingFrees(device::Device& device) : device_(device), events_(device) {}

  /// The block waits for what is now submitted to `stream`. @throws DeviceError.
  void add(BlockRef ref, device::Stream stream);
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
  /// True when the front of the queue was complete and is gone.
  bool poll_front(std::deque<Entry>& queue, const OnComplete& on_complete);
  void complete(Entry entry, const OnComplete& on_complete);

  device::Device& device_;
  EventPool events_;
  std::map<device::Stream, std::deque<Entry>> queues_;  ///< none is empty
};

}  // namespace gpucheck::runtime::detail
