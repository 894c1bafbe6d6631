#pragma once

#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/caching/arena/arena.hpp"
#include "runtime/caching/frees/playback_device.hpp"
#include "runtime/streams/pools/event_pool.hpp"
#include "runtime/streams/pools/stream_table.hpp"

namespace gpucheck::runtime::detail {

/// Blocks that were freed while other streams still used them: each waits for one event per
/// stream. Guarded by the allocator's mutex; what completes frees needs all arenas closed.
class PendingFrees {
 public:
  using OnComplete = std::function<void(BlockRef)>;

  explicit PendingFrees(device::Device& device);

  /// The block waits for what is now submitted to the streams, given in the order in which
  /// they were recorded. Returns false when there are none. @throws DeviceError.
  bool add(BlockRef ref, const std::vector<StreamUse>& uses);
  /// Reports blocks whose last event is complete. Streams do not wait for each other:
  /// an event that is not ready holds up those after it on its own stream only. Held events hold up none, and are not
  /// asked for before they are released.
  void poll(const OnComplete& on_complete);
  /// Waits for the events of `pool`'s blocks (of all blocks when null).
  void wait(const Pool* pool, const OnComplete& on_complete);
  [[nodiscard]] bool empty() const noexcept { return queues_.empty() && held_.empty(); }

 private:
  struct Waiting {
    BlockRef ref;
    std::size_t events = 0;  ///< recorded and not yet seen complete
  };
  struct Entry {
    device::UniqueEvent event;
    std::shared_ptr<Waiting> block;
  };
  using Queue = std::list<Entry>;

  void add(const std::shared_ptr<Waiting>& block, device::Stream stream, std::int64_t id);
  /// True when the front of the queue was complete and is gone.
  bool poll_front(Queue& queue, const OnComplete& on_complete);
  void poll_held(const OnComplete& on_complete);
  /// Waits for those of the queue that are of `pool`, unless null.
  void wait(Queue& queue, const Pool* pool, const OnComplete& on_complete);
  void complete(Entry entry, const OnComplete& on_complete);

  device::Device& device_;
  EventPool events_;
  StreamTable<Queue> queues_;  ///< by the streams' ids; none is empty
  PlaybackDevice* playback_;   ///< null: no event is held
  Queue held_;                 ///< in the order in which they were recorded
  std::unordered_map<device::Event, Queue::iterator> held_places_;
};

}  // namespace gpucheck::runtime::detail
