#include "replay/recording/reserved_ranges.hpp"

#include <algorithm>
#include <iterator>

#include "runtime/allocator/rounding.hpp"

namespace gpucheck::replay {

namespace {

/// Only its event says what a segment was that was released later: those of small blocks have one
/// size, and pages of expandable ones for small blocks have it too.
ReservedRange range_of(const SnapshotEvent& event) {
  return {
      .begin = event.address,
      .end = event.address + std::min(event.size, UINT64_MAX - event.address),
      .stream = event.stream,
      .pool = event.pool,
      .is_large = event.size != runtime::small_segment_size,
      .is_expandable = event.action == SnapshotAction::segment_map || event.action == SnapshotAction::segment_unmap};
}

bool continues(const ReservedRange& before, const ReservedRange& range) {
  return before.is_expandable && range.is_expandable && before.end == range.begin && before.stream == range.stream &&
         before.pool == range.pool && before.is_large == range.is_large;
}

}  // namespace

void ReservedRanges::undo(const SnapshotEvent& event) {
  const ReservedRange range = range_of(event);
  if (obtains_segment(event)) remove(range.begin, range.end);
  if (releases_segment(event)) add(range);
}

void ReservedRanges::follow(const SnapshotEvent& event) {
  const ReservedRange range = range_of(event);
  if (obtains_segment(event)) add(range);
  if (releases_segment(event)) remove(range.begin, range.end);
}

void ReservedRanges::add(ReservedRange range) {
  if (range.begin >= range.end) return;
  remove(range.begin, range.end);  // what a file says twice counts once
  ranges_[range.begin] = range;
}

void ReservedRanges::remove(std::uint64_t begin, std::uint64_t end) {
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin()) --at;
  while (at != ranges_.end() && at->first < end) {
    if (at->second.end <= begin) {
      ++at;
      continue;
    }
    ReservedRange before = at->second;
    ReservedRange after = before;
    at = ranges_.erase(at);
    before.end = begin;
    after.begin = end;
    if (before.begin < before.end) ranges_[before.begin] = before;
    if (after.begin < after.end) at = ranges_.emplace(after.begin, after).first;
  }
}

const ReservedRange* ReservedRanges::find(std::uint64_t address) const {
  const auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return nullptr;
  const ReservedRange& range = std::prev(after)->second;
  return address < range.end ? &range : nullptr;
}

std::vector<ReservedRange> ReservedRanges::joined() const {
  std::vector<ReservedRange> joined;
  for (const auto& [begin, range] : ranges_) {
    if (!joined.empty() && continues(joined.back(), range)) {
      joined.back().end = range.end;
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

ReservedRanges reserved_before(const Snapshot& snapshot, std::size_t device, std::size_t event) {
  ReservedRanges ranges;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    ranges.add({segment.address, segment.address + segment.total_size, segment.stream, segment.pool, segment.is_large,
                segment.is_expandable});
  }
  if (device >= snapshot.device_traces.size()) return ranges;
  const std::vector<SnapshotEvent>& events = snapshot.device_traces[device];
  for (std::size_t i = events.size(); i-- > event;) ranges.undo(events[i]);
  return ranges;
}

}  // namespace gpucheck::replay
