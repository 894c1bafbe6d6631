#include "runtime/caching/state.hpp"

#include <utility>

namespace gpucheck::runtime {

CachingAllocator::State::State(device::Device& the_device, const AllocatorSettings& settings, StreamIds ids)
    : device(the_device), stream_ids(std::move(ids)), statistics(arenas, settings.max_split_size) {
  if (dynamic_cast<PlaybackDevice*>(&device) != nullptr) arenas.confine_to_one_thread();
  configuration.set_settings(settings);
  if (settings.per_process_memory_fraction < 1.0) {
    configuration.set_fraction(settings.per_process_memory_fraction, device.properties().total_memory_bytes);
  }
}

CachingAllocator::State::~State() {
  // A device that is lost fails; there is nothing left to free then.
  for (void* pointer : uncached_pointers) static_cast<void>(device.free(pointer));
}

void CachingAllocator::State::CountingLock::wait_for_room() {
  while (has_no_room()) {
    lock_.unlock();
    state_.admit(arena_);
    lock_.lock();
  }
}

void CachingAllocator::State::admit(detail::Arena& arena) {
  const std::scoped_lock settling(locks.settling);
  statistics.admit(arena);
}

}  // namespace gpucheck::runtime
