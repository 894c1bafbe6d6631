// What becomes of pinned memory that streams still use when it is freed.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "device/check.hpp"
#include "device/relaxed_capture.hpp"
#include "runtime/allocator/statistic_changes.hpp"
#include "runtime/pinned/pinned_state.hpp"
#include "runtime/streams/pools/is_capturing.hpp"

namespace gpucheck::runtime {

/// Frees a block that nobody holds any more: once its streams are done it serves again. Where they cannot be asked it
/// never does.
void PinnedAllocator::State::free_behind_streams(Block& block) {
  const std::vector<device::Stream> streams = block.streams;
  if (!any_capturing(streams)) return insert_events(block, streams);
  const std::scoped_lock lock(mutex_);
  deferred_.push_back(&block);
}

bool PinnedAllocator::State::any_capturing(const std::vector<device::Stream>& streams) {
  return std::ranges::any_of(streams, [&](device::Stream stream) { return detail::is_capturing(device_, stream); });
}

void PinnedAllocator::State::insert_events(Block& block, const std::vector<device::Stream>& streams) {
  std::vector<device::UniqueEvent> events;
  for (const device::Stream stream : streams) {
    events.push_back(events_.take());
    device::check_and_clear(device_, device_.record(events.back().get(), stream), "record an event of pinned memory");
  }
  const std::scoped_lock lock(mutex_);
  block.streams.clear();
  block.pending_events = events.size();
  for (device::UniqueEvent& event : events) pending_.push_front({std::move(event), &block});
}

void PinnedAllocator::State::process_deferred() {
  std::unique_lock lock(mutex_);
  if (deferred_.empty()) return;
  const std::vector<Block*> waiting = std::exchange(deferred_, {});
  lock.unlock();
  for (auto block = waiting.begin(); block != waiting.end(); ++block) {
    try {
      free_behind_streams(**block);
    } catch (...) {
      lock.lock();
      deferred_.insert(deferred_.end(), std::next(block), waiting.end());
      throw;
    }
  }
}

void PinnedAllocator::State::process_events() {
  process_deferred();
  while (process_oldest_event()) {
  }
}

/// False when there is none or it is not done.
bool PinnedAllocator::State::process_oldest_event() {
  std::unique_lock lock(mutex_);
  if (pending_.empty()) return false;
  PendingEvent oldest = std::move(pending_.back());
  pending_.pop_back();
  lock.unlock();
  const device::Status status = query(oldest);
  if (status == device::Status::success) {
    finish(std::move(oldest), any_size);
    return true;
  }
  lock.lock();
  pending_.push_back(std::move(oldest));
  lock.unlock();
  require_pending(status);
  return false;
}

void PinnedAllocator::State::process_events_of_size(std::uint64_t bytes) {
  std::vector<PendingEvent> candidates;
  {
    const std::scoped_lock lock(mutex_);
    std::deque<PendingEvent> others;
    for (PendingEvent& entry : pending_) {
      if (entry.block->memory.bytes == bytes) {
        candidates.push_back(std::move(entry));
      } else {
        others.push_back(std::move(entry));
      }
    }
    pending_ = std::move(others);
  }
  device::Status failure = device::Status::not_ready;
  for (PendingEvent& entry : candidates) {
    const device::Status status = query(entry);
    if (status == device::Status::success) {
      finish(std::move(entry), static_cast<std::int64_t>(bytes));
      continue;
    }
    if (status != device::Status::not_ready) failure = status;
    const std::scoped_lock lock(mutex_);
    pending_.push_back(std::move(entry));
  }
  require_pending(failure);
}

device::Status PinnedAllocator::State::query(PendingEvent& entry) {
  const device::RelaxedCapture relaxed(device_, std::nothrow);  // another thread may be capturing
  return device_.query(entry.event.get());
}

/// An event that is not done must still become done. @throws DeviceError.
void PinnedAllocator::State::require_pending(device::Status status) {
  if (status != device::Status::not_ready) device::check_and_clear(device_, status, "query an event of pinned memory");
}

void PinnedAllocator::State::finish(PendingEvent entry, std::int64_t size) {
  events_.release(std::move(entry.event));
  const std::scoped_lock lock(mutex_);
  Block& block = *entry.block;
  if (--block.pending_events > 0) return;
  free_lists(block.pool)[class_of(block)].push_back(&block);
  Active& active = active_[class_of(block)];
  detail::subtract(active.requests, 1);
  active.bytes.current -= size;
  active.bytes.freed += size;
}

void PinnedAllocator::State::ensure_background_thread() {
  if (background_.joinable()) return;
  background_ = std::jthread([this](const std::stop_token& stop) {
    constexpr std::chrono::microseconds pause{100};
    try {
      while (!stop.stop_requested()) {
        process_events();
        std::this_thread::sleep_for(pause);
      }
    } catch (const Error&) {  // a lost device: the next call of whoever uses it says so
    }
  });
}

}  // namespace gpucheck::runtime
