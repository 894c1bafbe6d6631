#include <algorithm>

#include "replay/analysis/usage/live_allocations.hpp"
#include "replay/analysis/usage/recorded_usage.hpp"
#include "replay/analysis/usage/timeline.hpp"

namespace gpucheck::replay {

namespace {

class LifetimeFinder {
 public:
  LifetimeFinder(const Snapshot& snapshot, std::size_t device) : snapshot_(snapshot), device_(device) {}

  std::vector<Lifetime> run() {
    if (device_ < snapshot_.device_traces.size()) follow(snapshot_.device_traces[device_]);
    for (const SnapshotSegment& segment : snapshot_.segments) {
      if (segment.device == device_) add_blocks_never_mentioned(segment);
    }
    const auto is_initial = [](const Lifetime& life) { return life.allocated_at == Lifetime::before_first; };
    const auto first_recorded = std::stable_partition(lifetimes_.begin(), lifetimes_.end(), is_initial);
    std::sort(lifetimes_.begin(), first_recorded,
              [](const Lifetime& a, const Lifetime& b) { return a.address < b.address; });
    return std::move(lifetimes_);
  }

 private:
  void follow(const std::vector<SnapshotEvent>& events) {
    const SnapshotAction free_action = free_action_of(events);
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      if (events[i].action == SnapshotAction::alloc) begin(events[i], i);
      if (events[i].action == free_action) end(events[i], i);
    }
  }

  void begin(const SnapshotEvent& event, std::uint32_t at) {
    const auto id = static_cast<std::uint32_t>(lifetimes_.size());
    const auto replaced = live_.begin_life(event.address, id);
    if (replaced) lifetimes_[*replaced].freed_at = at;
    lifetimes_.push_back({event.address, event.size, event.stream, event.pool, at, Lifetime::never, event.stack});
  }

  void end(const SnapshotEvent& event, std::uint32_t at) {
    if (live_.ended(event.address)) return;  // a free of what is free: the file contradicts itself
    if (!live_.living(event.address)) {
      add_initial(
          {event.address, event.size, event.stream, event.pool, Lifetime::before_first, Lifetime::never, no_stack});
    }
    lifetimes_[live_.end_life(event.address)].freed_at = at;
  }

  void add_blocks_never_mentioned(const SnapshotSegment& segment) {
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state == SnapshotBlockState::inactive || live_.known(block.address)) continue;
      add_initial({block.address, block.requested_size, segment.stream, segment.pool, Lifetime::before_first,
                   Lifetime::never, block.stack});
    }
  }

  void add_initial(const Lifetime& life) {
    live_.begin_life(life.address, static_cast<std::uint32_t>(lifetimes_.size()));
    lifetimes_.push_back(life);
  }

  const Snapshot& snapshot_;
  std::size_t device_;
  LiveAllocations live_;
  std::vector<Lifetime> lifetimes_;
};

}  // namespace

std::vector<Lifetime> lifetimes_of(const Snapshot& snapshot, std::size_t device) {
  return LifetimeFinder(snapshot, device).run();
}

}  // namespace gpucheck::replay
