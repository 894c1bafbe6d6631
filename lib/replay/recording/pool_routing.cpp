#include "replay/recording/pool_routing.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace gpucheck::replay {

std::optional<std::uint32_t> PoolNumbers::number_of(PoolId pool) {
  if (pool == default_pool) return std::nullopt;
  const auto [entry, is_new] = numbers_.try_emplace(pool, count_);
  if (is_new) ++count_;
  return entry->second;
}

std::optional<std::uint32_t> PoolNumbers::release(PoolId pool) {
  const auto used = numbers_.extract(pool);
  if (used.empty()) return std::nullopt;
  return used.mapped();
}

RecordedPools::RecordedPools(const Snapshot& snapshot, std::size_t device) : events_(snapshot.device_traces[device]) {
  const bool are_told =
      std::ranges::any_of(events_, [](const SnapshotEvent& event) { return event.pool != default_pool; });
  if (are_told) return;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != device || segment.pool == default_pool) continue;
    private_ranges_.push_back({segment.address, segment.address + segment.total_size, segment.pool});
  }
  std::ranges::sort(private_ranges_, {}, &Range::begin);
  note_releases();
}

/// Finds for each range the last release that it is part of, so that the latest events come first. Ranges that have
/// theirs are passed over, however many events name them.
void RecordedPools::note_releases() {
  std::vector<std::size_t> next(private_ranges_.size() + 1);
  std::iota(next.begin(), next.end(), std::size_t{0});
  const auto first_open = [&next](std::size_t at) {
    while (next[at] != at) at = next[at] = next[next[at]];
    return at;
  };
  for (std::size_t position = events_.size(); position-- > 0;) {
    const SnapshotEvent& event = events_[position];
    if (event.action != SnapshotAction::segment_free) continue;
    const auto ends_before = [&event](const Range& range) { return range.end <= event.address; };
    const auto first = std::ranges::partition_point(private_ranges_, ends_before);
    for (std::size_t at = first_open(static_cast<std::size_t>(first - private_ranges_.begin()));
         at < private_ranges_.size() && private_ranges_[at].begin < event.address + event.size; at = first_open(at)) {
      private_ranges_[at].from = position + 1;
      next[at] = at + 1;
    }
  }
}

PoolId RecordedPools::of(std::size_t position) const {
  const SnapshotEvent& event = events_[position];
  if (private_ranges_.empty() || event.action == SnapshotAction::out_of_memory) return event.pool;
  const auto after = std::ranges::upper_bound(private_ranges_, event.address, {}, &Range::begin);
  if (after == private_ranges_.begin()) return default_pool;
  const Range& range = *std::prev(after);
  return event.address < range.end && position >= range.from ? range.pool : default_pool;
}

void ReleasedPools::add(PoolId pool) {
  if (pool == default_pool) {
    has_default_ = true;
  } else {
    private_.insert(pool);
  }
}

ReleasedPools::Row ReleasedPools::end() { return {std::exchange(has_default_, false), std::exchange(private_, {})}; }

}  // namespace gpucheck::replay
