#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "replay/formats/snapshot/snapshot.hpp"

namespace gpucheck::replay {

/// Whether memory is obtained from the device, or given back.
[[nodiscard]] constexpr bool obtains_segment(const SnapshotEvent& event) noexcept {
  return event.action == SnapshotAction::segment_alloc || event.action == SnapshotAction::segment_map;
}
[[nodiscard]] constexpr bool releases_segment(const SnapshotEvent& event) noexcept {
  return event.action == SnapshotAction::segment_free || event.action == SnapshotAction::segment_unmap;
}
/// After the allocator released segments for its own sake it obtains one or fails.
[[nodiscard]] constexpr bool asks_for_segment(const SnapshotEvent& event) noexcept {
  return obtains_segment(event) || event.action == SnapshotAction::out_of_memory;
}

/// A range of memory that is reserved: a segment, or so much of an expandable one as has
/// memory without a gap.
struct ReservedRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t stream = 0;
  PoolId pool{0, 0};
  bool is_large = false;
  bool is_expandable = false;
};

/// Ranges that do not overlap, by their first address. Where a file contradicts itself what remains of a range is what
/// no event speaks against.
class ReservedRanges {
 public:
  /// What an event released of them is there again; what it obtained is not.
  void undo(const SnapshotEvent& event);
  /// Follows an event. Of an event that obtains or releases nothing neither does anything.
  void follow(const SnapshotEvent& event);
  void add(ReservedRange range);
  /// The range that the address lies in; null where nothing is reserved. Up to the next change.
  [[nodiscard]] const ReservedRange* find(std::uint64_t address) const;
  /// In address order. Memory that was mapped bit by bit into one expandable segment is one range.
  [[nodiscard]] std::vector<ReservedRange> joined() const;

 private:
  void remove(std::uint64_t begin, std::uint64_t end);

  std::map<std::uint64_t, ReservedRange> ranges_;
};

/// What was reserved on a device before one of its recorded events: the segments at the end, and the events since then
/// undone. With the number of events for `event`: what was reserved after all of them.
ReservedRanges reserved_before(const Snapshot& snapshot, std::size_t device, std::size_t event);

}  // namespace gpucheck::replay
