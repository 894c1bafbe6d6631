#include "replay/analysis/pool_routing.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpucheck::replay {

namespace {

constexpr PoolId default_pool{0, 0};

}  // namespace

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

RecordedPools::RecordedPools(const Snapshot& snapshot, std::size_t device) {
  are_told_ = std::ranges::any_of(snapshot.device_traces[device],
                                  [](const SnapshotEvent& event) { return event.pool != default_pool; });
  if (are_told_) return;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != device || segment.pool == default_pool) continue;
    private_ranges_.push_back({segment.address, segment.address + segment.total_size, segment.pool});
  }
  std::ranges::sort(private_ranges_, {}, &Range::begin);
}

PoolId RecordedPools::of(const SnapshotEvent& event) const {
  if (private_ranges_.empty() || event.action == SnapshotAction::out_of_memory) return event.pool;
  const auto after = std::ranges::upper_bound(private_ranges_, event.address, {}, &Range::begin);
  if (after == private_ranges_.begin() || event.address >= std::prev(after)->end) return default_pool;
  return std::prev(after)->pool;
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
