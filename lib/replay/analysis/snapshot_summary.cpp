#include "replay/analysis/snapshot_summary.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"

namespace gpucheck::replay {

namespace {

constexpr std::size_t max_devices = 256;

void keep_largest(std::vector<DeviceSummary::Use>& uses, std::size_t most) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(most, uses.size()));
  std::ranges::partial_sort(uses, uses.begin() + count, [](const auto& a, const auto& b) {
    return std::tuple(b.block.size, a.block.address) < std::tuple(a.block.size, b.block.address);
  });
  uses.resize(static_cast<std::size_t>(count));
}

}  // namespace

void PoolUsage::add(const SnapshotSegment& segment) {
  ++segment_count;
  block_count += segment.blocks.size();
  reserved_bytes += segment.total_size;
  for (const SnapshotBlock& block : segment.blocks) {
    switch (block.state) {
      case SnapshotBlockState::active_allocated:
        allocated_bytes += block.size;
        requested_bytes += block.requested_size;
        break;
      case SnapshotBlockState::active_pending_free:
        pending_free_bytes += block.size;
        break;
      case SnapshotBlockState::inactive:
        inactive_bytes += block.size;
        largest_inactive_bytes = std::max(largest_inactive_bytes, block.size);
        break;
    }
  }
}

std::vector<std::size_t> devices_of(const Snapshot& snapshot) {
  std::set<std::size_t> devices;
  for (const SnapshotSegment& segment : snapshot.segments) devices.insert(segment.device);
  for (std::size_t i = 0; i < snapshot.device_traces.size(); ++i) {
    if (!snapshot.device_traces[i].empty()) devices.insert(i);
  }
  if (devices.size() > max_devices) {
    throw EnvironmentError(fmt::format("the snapshot names {} devices, more than any machine has ({} at most are read)",
                                       devices.size(), max_devices));
  }
  return {devices.begin(), devices.end()};
}

bool has_playable_event(const Snapshot& snapshot, std::size_t device) {
  if (device >= snapshot.device_traces.size()) return false;
  return std::ranges::any_of(snapshot.device_traces[device], [](const SnapshotEvent& event) {
    return event.action == SnapshotAction::alloc || event.action == SnapshotAction::free_requested ||
           event.action == SnapshotAction::free_completed || event.action == SnapshotAction::out_of_memory;
  });
}

std::vector<std::size_t> idle_devices(const Snapshot& snapshot) {
  std::vector<std::size_t> devices = devices_of(snapshot);
  std::erase_if(devices, [&snapshot](std::size_t device) {
    const bool has_events = device < snapshot.device_traces.size() && !snapshot.device_traces[device].empty();
    return !has_events || has_playable_event(snapshot, device);
  });
  return devices;
}

std::string idle_devices_text(const std::vector<std::size_t>& devices) {
  if (devices.empty()) return "";
  const std::string last = fmt::to_string(devices.back());
  const std::vector<std::size_t> others(devices.begin(), devices.end() - 1);
  const std::string names =
      others.empty() ? "device " + last : fmt::format("devices {} and {}", fmt::join(others, ", "), last);
  return names + " recorded no allocation and no free: left out";
}

DeviceSummary summarize(const Snapshot& snapshot, std::size_t device, std::size_t max_largest) {
  DeviceSummary summary;
  summary.device = device;
  if (device < snapshot.device_traces.size()) summary.event_count = snapshot.device_traces[device].size();
  std::map<std::tuple<PoolId, std::uint64_t, bool>, PoolUsage> pools;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    summary.total.add(segment);
    PoolUsage& pool = pools[{segment.pool, segment.stream, segment.is_large}];
    pool.pool = segment.pool;
    pool.stream = segment.stream;
    pool.is_large = segment.is_large;
    pool.add(segment);
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state != SnapshotBlockState::inactive) summary.largest.push_back({block, segment.stream, segment.pool});
    }
  }
  for (const auto& [key, pool] : pools) summary.pools.push_back(pool);
  keep_largest(summary.largest, max_largest);
  return summary;
}

std::string pool_name(PoolId pool) {
  return pool == PoolId{0, 0} ? "default" : fmt::format("private ({}, {})", pool.first, pool.second);
}

}  // namespace gpucheck::replay
