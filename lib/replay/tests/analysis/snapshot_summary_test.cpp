#include "replay/analysis/snapshot_summary.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace gpucheck::replay {
namespace {

constexpr auto inactive = SnapshotBlockState::inactive;
constexpr auto allocated = SnapshotBlockState::active_allocated;
constexpr auto waiting = SnapshotBlockState::active_pending_free;

Snapshot two_devices() {
  Snapshot snapshot;
  snapshot.segments = {
      {0, 300, 7, 0, {0, 0}, false, false, {{0, 100, 90, allocated, 0}, {100, 200, 0, inactive, 0}}},
      {1000, 500, 7, 0, {1, 2}, true, false, {{1000, 400, 400, waiting, 0}, {1400, 100, 0, inactive, 0}}},
      {2000, 50, 7, 0, {0, 0}, false, false, {{2000, 50, 50, allocated, 0}}},
      {9000, 10, 0, 3, {0, 0}, false, false, {{9000, 10, 0, inactive, 0}}}};
  return snapshot;
}

TEST(SnapshotSummary, AddsUpByPool) {
  const DeviceSummary summary = summarize(two_devices(), 0);
  EXPECT_EQ(summary.total.segment_count, 3U);
  EXPECT_EQ(summary.total.block_count, 5U);
  EXPECT_EQ(summary.total.reserved_bytes, 850U);
  EXPECT_EQ(summary.total.allocated_bytes, 150U);
  EXPECT_EQ(summary.total.requested_bytes, 140U);
  EXPECT_EQ(summary.total.pending_free_bytes, 400U);
  EXPECT_EQ(summary.total.inactive_bytes, 300U);
  EXPECT_EQ(summary.total.largest_inactive_bytes, 200U);
  ASSERT_EQ(summary.pools.size(), 2U);
  EXPECT_EQ(summary.pools[0].reserved_bytes, 350U);
  EXPECT_EQ(summary.pools[1].pool, PoolId(1, 2));
  EXPECT_EQ(summary.pools[1].pending_free_bytes, 400U);
  EXPECT_EQ(pool_name(summary.pools[0].pool), "default");
  EXPECT_EQ(pool_name(summary.pools[1].pool), "private (1, 2)");
}

TEST(SnapshotSummary, NamesTheLargestInUse) {
  const DeviceSummary summary = summarize(two_devices(), 0, 2);
  ASSERT_EQ(summary.largest.size(), 2U);
  EXPECT_EQ(summary.largest[0].block.size, 400U);
  EXPECT_EQ(summary.largest[1].block.size, 100U);
}

TEST(SnapshotSummary, KnowsTheDevices) {
  Snapshot snapshot = two_devices();
  snapshot.device_traces.resize(6);
  snapshot.device_traces[5].resize(1);
  EXPECT_EQ(devices_of(snapshot), (std::vector<std::size_t>{0, 3, 5}));
  EXPECT_EQ(summarize(snapshot, 5).event_count, 1U);
}

TEST(SnapshotSummary, RejectsMoreDevicesThanAMachineHas) {
  Snapshot snapshot;
  snapshot.segments.resize(257);
  for (std::size_t i = 0; i < 257; ++i) snapshot.segments[i].device = 1000 * i;
  EXPECT_THROW((void)devices_of(snapshot), EnvironmentError);
  snapshot.segments.pop_back();
  EXPECT_EQ(devices_of(snapshot).size(), 256U);
}

}  // namespace
}  // namespace gpucheck::replay
