#include "replay/recorded_usage.hpp"

#include <algorithm>

namespace gpucheck::replay {

namespace {

/// What an event adds to, or takes from, what is reserved. Wraps around for a taking,
/// and sums of these wrap back: exact as long as the true sums fit 64 bits.
std::uint64_t reserved_change(const SnapshotEvent& event) {
  switch (event.action) {
    case SnapshotAction::segment_alloc:
    case SnapshotAction::segment_map:
      return event.size;
    case SnapshotAction::segment_free:
    case SnapshotAction::segment_unmap:
      return 0 - event.size;
    default:
      return 0;
  }
}

std::uint64_t active_change(const SnapshotEvent& event, SnapshotAction free_action) {
  if (event.action == SnapshotAction::alloc) return event.size;
  return event.action == free_action ? 0 - event.size : 0;
}

/// A recording may leave the completions of frees out.
SnapshotAction free_action_of(const std::vector<SnapshotEvent>& events) {
  const bool completed = std::ranges::any_of(
      events, [](const SnapshotEvent& event) { return event.action == SnapshotAction::free_completed; });
  return completed ? SnapshotAction::free_completed : SnapshotAction::free_requested;
}

/// A running sum; a file that contradicts itself cannot push it below 0.
class Level {
 public:
  explicit Level(std::uint64_t start) : now_(start), peak_(start) {}
  void change(std::uint64_t by) {
    now_ += by;
    if (now_ > INT64_MAX) now_ = 0;
    peak_ = std::max(peak_, now_);
  }
  [[nodiscard]] std::uint64_t now() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t peak() const noexcept { return peak_; }

 private:
  std::uint64_t now_;
  std::uint64_t peak_;
};

}  // namespace

RecordedUsage recorded_usage(const Snapshot& snapshot, std::size_t device, std::uint64_t initial_active_bytes) {
  RecordedUsage usage;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device == device) usage.initial_reserved_bytes += segment.total_size;
  }
  for (const SnapshotEvent& event : snapshot.device_traces[device]) {
    usage.initial_reserved_bytes -= reserved_change(event);
  }
  if (usage.initial_reserved_bytes > INT64_MAX) usage.initial_reserved_bytes = 0;
  const SnapshotAction free_action = free_action_of(snapshot.device_traces[device]);
  Level reserved(usage.initial_reserved_bytes);
  Level active(initial_active_bytes);
  for (const SnapshotEvent& event : snapshot.device_traces[device]) {
    reserved.change(reserved_change(event));
    active.change(active_change(event, free_action));
    const bool tells_free = event.action == SnapshotAction::out_of_memory && event.address > 0;
    if (tells_free && !usage.capacity_bytes && event.address <= INT64_MAX) {
      usage.capacity_bytes = reserved.now() + event.address;
    }
  }
  usage.peak_reserved_bytes = reserved.peak();
  usage.peak_active_bytes = active.peak();
  return usage;
}

}  // namespace gpucheck::replay
