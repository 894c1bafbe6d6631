#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "replay/formats/snapshot/snapshot.hpp"
#include "replay/recording/reserved_ranges.hpp"

namespace gpucheck::replay {

/// What one device's segments say about `expandable_segments` while its events were recorded. PyTorch records no event
/// when a setting is set, but with this one memory is mapped (segment_map) and without it allocated (segment_alloc);
/// and only with it a free block of an expandable segment is handed out.
///
/// A private pool can have an allocator of its own, and older releases have no expandable segments in any of them:
/// plain segments of a private pool say nothing unless it has expandable ones too.
struct ExpandableHistory {
  /// From that event on, which is the first that says so.
  struct Change {
    std::uint32_t event = 0;
    bool value = false;
    bool operator==(const Change&) const = default;
  };
  std::optional<bool> at_first_event;  ///< absent where no event says
  std::vector<Change> changes;
  /// Under which of both more memory was obtained; where no event says, more is reserved at the end. Absent: no segment
  /// says.
  std::optional<bool> mostly;
  std::set<PoolId> expandable_pools;       ///< private ones that have an expandable segment
  std::optional<ReservedRanges> at_start;  ///< before the first event, where there are segments of both kinds

  /// When that event was recorded.
  [[nodiscard]] std::optional<bool> at(std::uint32_t event) const;
  /// Under which a block that was in use before the first event was allocated. Absent where its segment does not say,
  /// or where the whole recording has segments of one kind.
  [[nodiscard]] std::optional<bool> of_initial_block(std::uint64_t address) const;
  /// Whether a segment of that kind, in that pool, says what was in force.
  [[nodiscard]] bool says(PoolId pool, bool is_expandable) const;
};

[[nodiscard]] ExpandableHistory expandable_history(const Snapshot& snapshot, std::size_t device);

}  // namespace gpucheck::replay
