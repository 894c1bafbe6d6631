#include "replay/analysis/conversion.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"
#include "replay/analysis/live_allocations.hpp"
#include "replay/analysis/recorded_usage.hpp"

namespace gpucheck::replay {

namespace {

using Events = std::vector<SnapshotEvent>;

bool releases_segment(const SnapshotEvent& event) {
  return event.action == SnapshotAction::segment_free || event.action == SnapshotAction::segment_unmap;
}

/// After the allocator released segments for its own sake it obtains one or fails.
bool asks_for_segment(const SnapshotEvent& event) {
  return event.action == SnapshotAction::segment_alloc || event.action == SnapshotAction::segment_map ||
         event.action == SnapshotAction::out_of_memory;
}

class Converter {
 public:
  Converter(const Snapshot& snapshot, std::size_t device)
      : snapshot_(snapshot), device_(device), recorded_(snapshot.device_traces[device]) {
    completions_recorded_ = std::ranges::any_of(
        recorded_, [](const SnapshotEvent& event) { return event.action == SnapshotAction::free_completed; });
  }

  Conversion run() {
    result_.report.recorded_events = recorded_.size();
    for (position_ = 0; position_ < recorded_.size(); ++position_) convert(position_);
    add_blocks_never_mentioned();
    finish();
    return std::move(result_);
  }

 private:
  void convert(std::size_t i) {
    const SnapshotEvent& event = recorded_[i];
    if (event.pool != PoolId{0, 0}) ++result_.report.private_pool_events;
    switch (event.action) {
      case SnapshotAction::alloc:
        return allocate(event);
      case SnapshotAction::free_requested:
        if (!completions_recorded_ || completes_at_once(i)) free(event);
        return;
      case SnapshotAction::free_completed:
        if (i == 0 || !completes_at_once(i - 1)) complete(event);
        return;
      case SnapshotAction::segment_free:
      case SnapshotAction::segment_unmap:
        return end_of_releases(i);
      case SnapshotAction::out_of_memory:
        ++result_.report.out_of_memory;
        return add({event.size, new_id(), stream(event.stream), Action::try_allocate, false});
      case SnapshotAction::other:
        ++result_.report.ignored_events;
        return;
      default:
        return;
    }
  }

  [[nodiscard]] bool completes_at_once(std::size_t i) const {
    return recorded_[i].action == SnapshotAction::free_requested && i + 1 < recorded_.size() &&
           recorded_[i + 1].action == SnapshotAction::free_completed &&
           recorded_[i + 1].address == recorded_[i].address;
  }

  void allocate(const SnapshotEvent& event) {
    const std::uint32_t id = new_id();
    if (const auto replaced = live_.begin_life(event.address, id)) {
      ++result_.report.contradictions;
      add({0, *replaced, 0, Action::free, false});
    }
    add({event.size, id, stream(event.stream), Action::allocate, false});
  }

  void complete(const SnapshotEvent& event) {
    ++result_.report.deferred_frees;
    free(event);
  }

  void free(const SnapshotEvent& event) {
    if (live_.ended(event.address)) {
      ++result_.report.contradictions;
      return;
    }
    if (!live_.living(event.address)) add_initial(event.address, event.size, event.stream);
    add({0, live_.end_life(event.address), 0, Action::free, false});
  }

  /// Decides at the last of a row of releases what they were.
  void end_of_releases(std::size_t i) {
    named_empty_cache_ = named_empty_cache_ || recorded_[i].in_empty_cache;
    const bool last = i + 1 == recorded_.size();
    if (!last && releases_segment(recorded_[i + 1])) return;
    if (!std::exchange(named_empty_cache_, false) && !last && asks_for_segment(recorded_[i + 1])) {
      ++result_.report.allocator_releases;
      return;
    }
    ++result_.report.empty_caches;
    add({0, 0, 0, Action::empty_cache, false});
  }

  void add_blocks_never_mentioned() {
    std::uint64_t in_use = 0;
    for (const SnapshotSegment& segment : snapshot_.segments) {
      if (segment.device != device_) continue;
      for (const SnapshotBlock& block : segment.blocks) {
        if (block.state == SnapshotBlockState::inactive) continue;
        in_use += live_.living(block.address) ? 1U : 0U;
        if (live_.ended(block.address)) ++result_.report.contradictions;
        if (live_.known(block.address)) continue;
        add_initial(block.address, block.requested_size, segment.stream);
        ++in_use;
      }
    }
    // What the events left in use must be in use in the segments too.
    if (!snapshot_.segments.empty()) result_.report.contradictions += live_.living_count() - in_use;
  }

  void add_initial(std::uint64_t address, std::uint64_t size, std::uint64_t handle) {
    const std::uint32_t id = new_id();
    live_.begin_life(address, id);
    initial_.push_back({address, {size, id, stream(handle), Action::allocate, false}});
    ++result_.report.initial_blocks;
    result_.report.initial_bytes += size;
  }

  void finish() {
    std::ranges::sort(initial_, {}, &Initial::address);
    Trace& trace = result_.trace;
    trace.name = fmt::format("device {}", device_);
    trace.settings = snapshot_.settings.text.value_or("");
    trace.stream_count = static_cast<std::uint32_t>(streams_.handles().size());
    trace.events.reserve(initial_.size() + events_.size());
    for (const Initial& initial : initial_) trace.events.push_back(initial.event);
    trace.events.insert(trace.events.end(), events_.begin(), events_.end());
    result_.recorded_events.assign(initial_.size(), Conversion::no_event);
    result_.recorded_events.insert(result_.recorded_events.end(), event_positions_.begin(), event_positions_.end());
    result_.stream_handles = streams_.handles();
    const RecordedUsage usage = recorded_usage(snapshot_, device_, result_.report.initial_bytes);
    result_.report.initial_reserved_bytes = usage.initial_reserved_bytes;
    result_.report.recorded_peak_reserved_bytes = usage.peak_reserved_bytes;
    result_.report.recorded_peak_active_bytes = usage.peak_active_bytes;
    result_.report.recorded_capacity_bytes = usage.capacity_bytes;
  }

  void add(Event event) {
    events_.push_back(event);
    event_positions_.push_back(static_cast<std::uint32_t>(position_));
  }
  std::uint32_t new_id() { return result_.trace.allocation_count++; }
  std::uint16_t stream(std::uint64_t handle) { return streams_.index(handle); }

  struct Initial {
    std::uint64_t address;
    Event event;
  };

  const Snapshot& snapshot_;
  std::size_t device_;
  const Events& recorded_;
  bool completions_recorded_ = false;
  bool named_empty_cache_ = false;
  LiveAllocations live_;
  StreamNumbers streams_;
  std::vector<Initial> initial_;
  std::size_t position_ = 0;  ///< of the recorded event being taken
  std::vector<Event> events_;
  std::vector<std::uint32_t> event_positions_;  ///< by event: which recorded one it stands for
  Conversion result_;
};

}  // namespace

Conversion convert(const Snapshot& snapshot, std::size_t device) {
  if (device >= snapshot.device_traces.size() || snapshot.device_traces[device].empty()) {
    throw EnvironmentError(fmt::format(
        "the snapshot holds no events of device {}: call torch.cuda.memory._record_memory_history() before the part "
        "of the program that is to be replayed, and take the snapshot after it",
        device));
  }
  return Converter(snapshot, device).run();
}

}  // namespace gpucheck::replay
