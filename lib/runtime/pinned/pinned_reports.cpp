// Settings and statistics of the pinned allocator.
#include "runtime/pinned/pinned_state.hpp"

namespace gpucheck::runtime {

void PinnedAllocator::State::apply(const AllocatorSettings& settings) {
  const std::scoped_lock lock(mutex_);
  settings_ = settings;
}

PinnedStatistics PinnedAllocator::State::stats() const {
  const std::scoped_lock lock(mutex_);
  PinnedStatistics statistics = statistics_;
  const auto add = [](Statistic& sum, const Statistic& part) {
    sum.current += part.current;
    sum.peak += part.peak;
    sum.allocated += part.allocated;
    sum.freed += part.freed;
  };
  for (const Active& active : active_) {
    add(statistics.active_requests, active.requests);
    add(statistics.active_bytes, active.bytes);
  }
  statistics.num_host_alloc = statistics.allocations.allocated;
  statistics.num_host_free = statistics.allocations.freed;
  return statistics;
}

void PinnedAllocator::State::reset_peak_stats() {
  const std::scoped_lock lock(mutex_);
  const auto reset = [](Statistic& statistic) { statistic.peak = statistic.current; };
  reset(statistics_.allocations);
  reset(statistics_.allocated_bytes);
  for (Active& active : active_) {
    reset(active.requests);
    reset(active.bytes);
  }
  for (DurationStatistic* time : {&statistics_.host_alloc_time, &statistics_.host_free_time}) time->max = time->min = 0;
}

void PinnedAllocator::State::reset_accumulated_stats() {
  const std::scoped_lock lock(mutex_);
  const auto reset = [](Statistic& statistic) { statistic.allocated = statistic.freed = 0; };
  reset(statistics_.allocations);
  reset(statistics_.allocated_bytes);
  for (Active& active : active_) {
    reset(active.requests);
    reset(active.bytes);
  }
  for (DurationStatistic* time : {&statistics_.host_alloc_time, &statistics_.host_free_time}) *time = {};
}

DeviceAllocator::LiveAllocations PinnedAllocator::State::live_allocations() const {
  const std::scoped_lock lock(mutex_);
  DeviceAllocator::LiveAllocations live;
  for (const auto& [context, block] : blocks_) {
    if (!block->in_use) continue;
    ++live.count;
    live.bytes += block->memory.bytes;
  }
  return live;
}

}  // namespace gpucheck::runtime
