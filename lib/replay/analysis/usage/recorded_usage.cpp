#include "replay/analysis/usage/recorded_usage.hpp"

#include <algorithm>
#include <utility>

#include "runtime/allocator/rounding.hpp"

namespace gpucheck::replay {

namespace {

std::uint64_t active_change(const SnapshotEvent& event, SnapshotAction free_action) {
  if (event.action == SnapshotAction::alloc) return event.size;
  return event.action == free_action ? 0 - event.size : 0;
}

bool device_had_room(const SnapshotEvent& out_of_memory) {
  const auto& [free, asked] = std::pair(out_of_memory.address, out_of_memory.size);
  return asked <= free && runtime::segment_size_for(asked, {}) <= free;
}

}  // namespace

std::uint64_t reserved_change(const SnapshotEvent& event) noexcept {
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

SnapshotAction free_action_of(const std::vector<SnapshotEvent>& events) {
  const bool completed = std::ranges::any_of(
      events, [](const SnapshotEvent& event) { return event.action == SnapshotAction::free_completed; });
  return completed ? SnapshotAction::free_completed : SnapshotAction::free_requested;
}

std::uint64_t initial_reserved_bytes(const Snapshot& snapshot, std::size_t device) {
  std::uint64_t bytes = 0;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device == device) bytes += segment.total_size;
  }
  if (device < snapshot.device_traces.size()) {
    for (const SnapshotEvent& event : snapshot.device_traces[device]) bytes -= reserved_change(event);
  }
  return bytes > INT64_MAX ? 0 : bytes;
}

RecordedUsage recorded_usage(const Snapshot& snapshot, std::size_t device, std::uint64_t initial_active_bytes) {
  RecordedUsage usage;
  usage.initial_reserved_bytes = initial_reserved_bytes(snapshot, device);
  const SnapshotAction free_action = free_action_of(snapshot.device_traces[device]);
  RunningTotal reserved(usage.initial_reserved_bytes);
  RunningTotal active(initial_active_bytes);
  for (const SnapshotEvent& event : snapshot.device_traces[device]) {
    reserved.change(reserved_change(event));
    active.change(active_change(event, free_action));
    const bool tells_free = event.action == SnapshotAction::out_of_memory && event.address > 0;
    if (tells_free && !usage.capacity_bytes && event.address <= INT64_MAX) {
      usage.capacity_is_own_limit = device_had_room(event);
      usage.capacity_bytes = usage.capacity_is_own_limit ? reserved.peak() : reserved.now() + event.address;
    }
  }
  usage.peak_reserved_bytes = reserved.peak();
  usage.peak_active_bytes = active.peak();
  return usage;
}

}  // namespace gpucheck::replay
