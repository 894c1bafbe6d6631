#include "replay/settings/expandable_history.hpp"

#include <algorithm>
#include <iterator>

#include "replay/recording/pool_routing.hpp"

namespace gpucheck::replay {

namespace {

class HistoryMaker {
 public:
  HistoryMaker(const Snapshot& snapshot, std::size_t device)
      : snapshot_(snapshot), device_(device), has_events_(device < snapshot.device_traces.size()) {}

  ExpandableHistory run() {
    if (has_events_) pools_.emplace(snapshot_, device_);
    find_expandable_pools();
    count_segments();
    if (has_events_) count_events();
    const Bytes& most = of_events_.any() ? of_events_ : of_segments_;
    if (most.any()) history_.mostly = most.expandable > most.plain;
    const bool has_both = (of_events_.expandable > 0 || of_segments_.expandable > 0 || is_unmapped_) &&
                          (of_events_.plain > 0 || of_segments_.plain > 0 || is_freed_);
    if (has_both) history_.at_start = reserved_before(snapshot_, device_, 0);
    if (has_events_) follow();
    return std::move(history_);
  }

 private:
  struct Bytes {
    std::uint64_t expandable = 0;
    std::uint64_t plain = 0;
    [[nodiscard]] bool any() const noexcept { return expandable + plain > 0; }
  };

  [[nodiscard]] const std::vector<SnapshotEvent>& events() const { return snapshot_.device_traces[device_]; }

  void find_expandable_pools() {
    const auto add = [this](PoolId pool) {
      if (pool != default_pool) history_.expandable_pools.insert(pool);
    };
    for (const SnapshotSegment& segment : snapshot_.segments) {
      if (segment.device == device_ && segment.is_expandable) add(segment.pool);
    }
    for (std::size_t i = 0; has_events_ && i < events().size(); ++i) {
      const SnapshotAction action = events()[i].action;
      if (action == SnapshotAction::segment_map || action == SnapshotAction::segment_unmap) add(pools_->of(i));
    }
  }

  void count_segments() {
    for (const SnapshotSegment& segment : snapshot_.segments) {
      if (segment.device != device_ || !history_.says(segment.pool, segment.is_expandable)) continue;
      (segment.is_expandable ? of_segments_.expandable : of_segments_.plain) += segment.total_size;
    }
  }

  void count_events() {
    for (std::size_t i = 0; i < events().size(); ++i) {
      const SnapshotEvent& event = events()[i];
      is_unmapped_ = is_unmapped_ || event.action == SnapshotAction::segment_unmap;
      is_freed_ = is_freed_ || event.action == SnapshotAction::segment_free;
      const bool is_expandable = event.action == SnapshotAction::segment_map;
      if (!obtains_segment(event) || !history_.says(pools_->of(i), is_expandable)) continue;
      (is_expandable ? of_events_.expandable : of_events_.plain) += event.size;
    }
  }

  void follow() {
    std::optional<ReservedRanges> ranges = history_.at_start;
    for (std::uint32_t i = 0; i < events().size(); ++i) {
      const SnapshotEvent& event = events()[i];
      const bool is_expandable = event.action == SnapshotAction::segment_map;
      if (obtains_segment(event) && history_.says(pools_->of(i), is_expandable)) note(i, is_expandable);
      if (!ranges) continue;
      ranges->follow(event);
      if (event.action != SnapshotAction::alloc) continue;
      const ReservedRange* const range = ranges->find(event.address);
      if (range != nullptr && range->is_expandable) note(i, true);
    }
  }

  void note(std::uint32_t event, bool value) {
    if (!history_.at_first_event) {
      history_.at_first_event = value;
    } else if (last_ != value) {
      history_.changes.push_back({event, value});
    }
    last_ = value;
  }

  const Snapshot& snapshot_;
  std::size_t device_;
  bool has_events_;
  std::optional<RecordedPools> pools_;
  Bytes of_events_;
  Bytes of_segments_;
  bool is_unmapped_ = false;
  bool is_freed_ = false;
  std::optional<bool> last_;
  ExpandableHistory history_;
};

}  // namespace

std::optional<bool> ExpandableHistory::at(std::uint32_t event) const {
  const auto after = std::ranges::upper_bound(changes, event, {}, &Change::event);
  return after == changes.begin() ? at_first_event : std::prev(after)->value;
}

std::optional<bool> ExpandableHistory::of_initial_block(std::uint64_t address) const {
  const ReservedRange* const range = at_start ? at_start->find(address) : nullptr;
  if (range == nullptr || !says(range->pool, range->is_expandable)) return std::nullopt;
  return range->is_expandable;
}

/// As PyTorch's get_free_block and alloc_block have it.
bool ExpandableHistory::says(PoolId pool, bool is_expandable) const {
  return is_expandable || pool == default_pool || expandable_pools.contains(pool);
}

ExpandableHistory expandable_history(const Snapshot& snapshot, std::size_t device) {
  return HistoryMaker(snapshot, device).run();
}

}  // namespace gpucheck::replay
