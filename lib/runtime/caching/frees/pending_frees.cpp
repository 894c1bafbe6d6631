#include "runtime/caching/frees/pending_frees.hpp"

#include <iterator>
#include <utility>

#include "device/check.hpp"

namespace gpucheck::runtime::detail {

PendingFrees::PendingFrees(device::Device& device)
    : device_(device), events_(device), queues_(device.ordinal()), playback_(dynamic_cast<PlaybackDevice*>(&device)) {}

bool PendingFrees::add(BlockRef ref, const std::vector<StreamUse>& uses) {
  const auto block = std::make_shared<Waiting>(Waiting{.ref = ref});
  if (uses.size() == 1) {
    add(block, uses.front().stream, uses.front().id);
    return true;
  }
  // PyTorch's set of a block's streams is such a table as well, and so decides in which
  // order they come into the large one.
  StreamTable<device::Stream> streams(device_.ordinal());
  for (const StreamUse& use : uses) streams[use.id] = use.stream;
  streams.erase_if([&](std::int64_t id, device::Stream stream) {
    add(block, stream, id);
    return false;
  });
  return !uses.empty();
}

void PendingFrees::add(const std::shared_ptr<Waiting>& block, device::Stream stream, std::int64_t id) {
  device::UniqueEvent event = events_.take();
  device::check_and_clear(device_, device_.record(event.get(), stream), "record");
  ++block->events;
  const device::Event handle = event.get();
  const bool is_held = playback_ != nullptr && playback_->is_held(handle);
  Queue& queue = is_held ? held_ : queues_[id];
  queue.push_back({std::move(event), block});
  if (is_held) held_places_[handle] = std::prev(queue.end());
}

void PendingFrees::poll(const OnComplete& on_complete) {
  if (playback_ != nullptr) poll_held(on_complete);
  queues_.erase_if([&](std::int64_t, Queue& queue) {
    while (!queue.empty() && poll_front(queue, on_complete)) {
    }
    return queue.empty();
  });
}

void PendingFrees::poll_held(const OnComplete& on_complete) {
  for (const device::Event event : playback_->take_released()) {
    const auto held = held_places_.extract(event);
    if (held.empty()) continue;  // waited for meanwhile
    Entry entry = std::move(*held.mapped());
    held_.erase(held.mapped());
    complete(std::move(entry), on_complete);
  }
}

bool PendingFrees::poll_front(Queue& queue, const OnComplete& on_complete) {
  const device::Status status = device_.query(queue.front().event.get());
  if (status == device::Status::not_ready) {
    static_cast<void>(device_.last_error());  // an unfinished event is not an error to keep
    return false;
  }
  device::check_and_clear(device_, status, "query event");
  Entry entry = std::move(queue.front());
  queue.pop_front();
  complete(std::move(entry), on_complete);
  return true;
}

void PendingFrees::wait(const Pool* pool, const OnComplete& on_complete) {
  queues_.erase_if([&](std::int64_t, Queue& queue) {
    wait(queue, pool, on_complete);
    return queue.empty();
  });
  wait(held_, pool, on_complete);
}

void PendingFrees::wait(Queue& queue, const Pool* pool, const OnComplete& on_complete) {
  for (auto next = queue.begin(); next != queue.end();) {
    const auto entry = next++;
    if (pool != nullptr && &entry->block->ref.arena->pool() != pool) continue;
    device::check_and_clear(device_, device_.synchronize(entry->event.get()), "synchronize event");
    held_places_.erase(entry->event.get());
    Entry done = std::move(*entry);
    queue.erase(entry);
    complete(std::move(done), on_complete);
  }
}

void PendingFrees::complete(Entry entry, const OnComplete& on_complete) {
  events_.release(std::move(entry.event));
  if (--entry.block->events == 0) on_complete(entry.block->ref);
}

}  // namespace gpucheck::runtime::detail
