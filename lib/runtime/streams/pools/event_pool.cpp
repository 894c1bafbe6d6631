#include "runtime/streams/pools/event_pool.hpp"

#include <utility>

namespace gpucheck::runtime {

device::UniqueEvent EventPool::take() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) {
    return device::own<device::UniqueEvent>(device_, device_.create_event(device::EventKind::no_timing));
  }
  device::UniqueEvent event = std::move(idle_.back());
  idle_.pop_back();
  return event;
}

void EventPool::release(device::UniqueEvent event) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(event));
}

}  // namespace gpucheck::runtime
