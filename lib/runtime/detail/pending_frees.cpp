#include "runtime/detail/pending_frees.hpp"

#include <utility>

namespace gpucheck::runtime::detail {

void PendingFrees::add(BlockRef ref, device::Stream stream) {
  device::UniqueEvent event = events_.take();
  device::check(device_.record(event.get(), stream), "record");
  ++ref.block().events;
  queues_[stream].push_back({std::move(event), ref});
}

void PendingFrees::poll(const OnComplete& on_complete) {
  for (auto queue = queues_.begin(); queue != queues_.end();) {
    while (!queue->second.empty() && poll_front(queue->second, on_complete)) {
    }
    queue = queue->second.empty() ? queues_.erase(queue) : std::next(queue);
  }
}

bool PendingFrees::poll_front(std::deque<Entry>& queue, const OnComplete& on_complete) {
  const device::Status status = device_.query(queue.front().event.get());
  if (status == device::Status::not_ready) {
    static_cast<void>(device_.last_error());  // an unfinished event is not an error to keep
    return false;
  }
  device::check(status, "query event");
  Entry entry = std::move(queue.front());
  queue.pop_front();
  complete(std::move(entry), on_complete);
  return true;
}

void PendingFrees::wait(const Pool* pool, const OnComplete& on_complete) {
  for (auto queue = queues_.begin(); queue != queues_.end();) {
    std::deque<Entry> kept;
    while (!queue->second.empty()) {
      Entry& front = queue->second.front();
      const bool waits = pool == nullptr || &front.ref.arena->pool() == pool;
      if (waits) device::check(device_.synchronize(front.event.get()), "synchronize event");
      Entry entry = std::move(front);
      queue->second.pop_front();
      if (waits) {
        complete(std::move(entry), on_complete);
      } else {
        kept.push_back(std::move(entry));
      }
    }
    queue->second = std::move(kept);
    queue = queue->second.empty() ? queues_.erase(queue) : std::next(queue);
  }
}

void PendingFrees::complete(Entry entry, const OnComplete& on_complete) {
  events_.put_back(std::move(entry.event));
  if (--entry.ref.block().events == 0) on_complete(entry.ref);
}

}  // namespace gpucheck::runtime::detail
