#include "replay/advice/recorded_memory.hpp"

#include <algorithm>
#include <iterator>

#include "runtime/allocator/rounding.hpp"

namespace gpucheck::replay {

namespace {

/// Ranges that do not overlap, by their first address.
class Ranges {
 public:
  void add(ReservedRange range) {
    remove(range.begin, range.end);  // what a file says twice counts once
    if (range.begin < range.end) ranges_[range.begin] = range;
  }

  void remove(std::uint64_t begin, std::uint64_t end) {
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

  /// Memory that was mapped bit by bit into one expandable segment is one range.
  [[nodiscard]] std::vector<ReservedRange> joined() const {
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

 private:
  static bool continues(const ReservedRange& before, const ReservedRange& range) {
    return before.is_expandable && range.is_expandable && before.end == range.begin && before.stream == range.stream &&
           before.pool == range.pool && before.is_large == range.is_large;
  }

  std::map<std::uint64_t, ReservedRange> ranges_;
};

/// Of a segment that was released later only its event tells: those of small blocks have one
/// size, and pages of expandable ones for small blocks have it too.
ReservedRange range_of(const SnapshotEvent& event) {
  return {.begin = event.address,
          .end = event.address + std::min(event.size, UINT64_MAX - event.address),
          .stream = event.stream,
          .pool = event.pool,
          .is_large = event.size != runtime::small_segment_size,
          .is_expandable = event.action == SnapshotAction::segment_unmap};
}

}  // namespace

std::vector<ReservedRange> reserved_after(const Snapshot& snapshot, std::size_t device, std::uint32_t event) {
  Ranges ranges;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    ranges.add({segment.address, segment.address + segment.total_size, segment.stream, segment.pool, segment.is_large,
                segment.is_expandable});
  }
  const std::vector<SnapshotEvent>& events = snapshot.device_traces[device];
  for (std::size_t i = events.size(); i-- > event + std::size_t{1};) {
    const ReservedRange range = range_of(events[i]);
    switch (events[i].action) {
      case SnapshotAction::segment_alloc:
      case SnapshotAction::segment_map:
        ranges.remove(range.begin, range.end);
        break;
      case SnapshotAction::segment_free:
      case SnapshotAction::segment_unmap:
        ranges.add(range);
        break;
      default:
        break;
    }
  }
  return ranges.joined();
}

}  // namespace gpucheck::replay
