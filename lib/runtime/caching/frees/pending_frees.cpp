#include "runtime/caching/detail/pending_frees.hpp"

#include <utility>

namespace gpucheck::runtime::detail {

void PendingFrees::add(BlockRef ref, const std::vector<device::Stream>& streams) {
  if (streams.size() == 1) {
    add(ref, streams.front(), stream_ids_(streams.front()));
    return;
  }
  // PyTorch's set of a block's streams is such a table as well, and so decides in which
  // order they come into the large one.
  StreamTable<device::Stream> uses(device_.ordinal());
  for (const device::Stream stream : streams) uses[stream_ids_(stream)] = stream;
  uses.erase_if([&](std::int64_t id, device::Stream stream) {
    add(ref, stream, id);
    return false;
  });
}

void PendingFrees::add(BlockRef ref, device::Stream stream, std::int64_t id) {
  device::UniqueEvent event = events_.take();
  device::check(device_.record(event.get(), stream), "record");
  ++ref.block().events;
  queues_[id].push_back({std::move(event), ref});
}

void PendingFrees::poll(const OnComplete& on_complete) {
  queues_.erase_if([&](std::int64_t, Queue& queue) {
    while (!queue.empty() && poll_front(queue, on_complete)) {
    }
    return queue.empty();
  });
}

bool PendingFrees::poll_front(Queue& queue, const OnComplete& on_complete) {
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
  queues_.erase_if([&](std::int64_t, Queue& queue) {
    for (auto next = queue.begin(); next != queue.end();) {
      const auto entry = next++;
      if (pool != nullptr && &entry->ref.arena->pool() != pool) continue;
      device::check(device_.synchronize(entry->event.get()), "synchronize event");
      Entry done = std::move(*entry);
      queue.erase(entry);
      complete(std::move(done), on_complete);
    }
    return queue.empty();
  });
}

void PendingFrees::complete(Entry entry, const OnComplete& on_complete) {
  events_.put_back(std::move(entry.event));
  if (--entry.ref.block().events == 0) on_complete(entry.ref);
}

}  // namespace gpucheck::runtime::detail
