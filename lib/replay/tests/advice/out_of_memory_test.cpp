#include "replay/advice/out_of_memory.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/text/units.hpp"
#include "replay/recording/reserved_ranges.hpp"

namespace gpucheck::replay {
namespace {

using enum SnapshotAction;

/// A recording that ends with a failure to allocate, with 4 MiB free on the device.
class Recording {
 public:
  Recording() { snapshot_.device_traces.resize(1); }

  void event(SnapshotAction action, std::uint64_t address, std::uint64_t size, std::uint64_t stream = 0,
             PoolId pool = {0, 0}) {
    snapshot_.device_traces[0].push_back({address, size, stream, 0, pool, action, false, no_stack});
  }
  /// A segment with so many bytes in use at its beginning.
  void segment(std::uint64_t address, std::uint64_t size, std::uint64_t used, std::uint64_t stream = 0,
               PoolId pool = {0, 0}, bool is_large = true) {
    event(segment_alloc, address, size, stream, pool);
    SnapshotSegment segment{address, size, stream, 0, pool, is_large, false, {}};
    if (used > 0) {
      event(alloc, address, used, stream, pool);
      segment.blocks.push_back({address, used, used, SnapshotBlockState::active_allocated});
    }
    if (used < size) segment.blocks.push_back({address + used, size - used, 0, SnapshotBlockState::inactive});
    snapshot_.segments.push_back(segment);
  }
  OutOfMemory fails(std::uint64_t bytes, const char* settings = "", std::uint64_t stream = 0) {
    event(out_of_memory, 4_MiB, bytes, stream);
    return explain_out_of_memory(snapshot_, 0, runtime::parse_settings(settings)).back();
  }
  Snapshot& snapshot() { return snapshot_; }

 private:
  Snapshot snapshot_;
};

void expect_one(const OutOfMemory& failure, HoleReason reason, std::uint64_t bytes) {
  ASSERT_EQ(failure.holes.size(), 1U);
  EXPECT_EQ(to_text(failure.holes[0].reason), to_text(reason));
  EXPECT_EQ(failure.holes[0].count, 1U);
  EXPECT_EQ(failure.holes[0].largest_bytes, bytes);
}

TEST(OutOfMemory, TellsWhatWasAskedForAndWhatIsMissing) {
  Recording recording;
  recording.segment(1_GiB, 100_MiB, 70_MiB);
  const OutOfMemory failure = recording.fails(40_MiB);
  EXPECT_EQ(failure.event, 2U);
  EXPECT_EQ(failure.asked_bytes, 40_MiB);
  EXPECT_EQ(failure.segment_bytes, 40_MiB);
  EXPECT_EQ(failure.reserved_bytes, 100_MiB);
  EXPECT_EQ(failure.in_use_bytes, 70_MiB);
  EXPECT_EQ(failure.device_free_bytes, 4_MiB);
  EXPECT_EQ(failure.missing_bytes(), 36_MiB);
  EXPECT_EQ(failure.hole_bytes(), 30_MiB);
  EXPECT_FALSE(failure.is_fragmentation());
  expect_one(failure, HoleReason::too_small, 30_MiB);
}

TEST(OutOfMemory, SmallRequestsNeedAWholeSegment) {
  Recording recording;
  recording.segment(1_GiB, 2_MiB, 2_MiB, 0, {0, 0}, false);
  EXPECT_EQ(recording.fails(3_MiB).segment_bytes, 20_MiB);
  EXPECT_EQ(recording.fails(512).missing_bytes(), 0U) << "2 MiB for a segment, and 4 MiB are free";
}

// The allocator, short of memory, waits for other streams, gives back what it can, and asks the device alone.
TEST(OutOfMemory, WhatBecameFreeInTheLastWaitIsAskedForAgain) {
  Recording recording;
  recording.segment(1_GiB, 100_MiB, 10_MiB);
  recording.event(alloc, 1_GiB + 10_MiB, 90_MiB);
  recording.event(free_requested, 1_GiB + 10_MiB, 90_MiB);
  recording.event(alloc, 2_GiB, 1_MiB);
  recording.event(free_completed, 1_GiB + 10_MiB, 90_MiB);
  recording.event(segment_free, 3_GiB, 20_MiB);
  const OutOfMemory failure = recording.fails(80_MiB);
  EXPECT_TRUE(failure.would_be_served_again());
  const auto late = std::ranges::find(failure.holes, HoleReason::free_too_late, &OutOfMemory::Holes::reason);
  ASSERT_NE(late, failure.holes.end());
  EXPECT_EQ(late->largest_bytes, 90_MiB);
}

TEST(OutOfMemory, WhatWasFreedWithoutAWaitIsNoReasonToAskAgain) {
  Recording at_once;
  at_once.segment(1_GiB, 100_MiB, 10_MiB);
  at_once.event(alloc, 1_GiB + 10_MiB, 90_MiB);
  at_once.event(free_requested, 1_GiB + 10_MiB, 90_MiB);
  at_once.event(free_completed, 1_GiB + 10_MiB, 90_MiB);
  EXPECT_FALSE(at_once.fails(80_MiB).would_be_served_again()) << "the allocator looked after that";
  Recording too_small;
  too_small.segment(1_GiB, 100_MiB, 10_MiB);
  too_small.event(alloc, 1_GiB + 10_MiB, 90_MiB);
  too_small.event(free_requested, 1_GiB + 10_MiB, 90_MiB);
  too_small.event(alloc, 2_GiB, 1_MiB);
  too_small.event(free_completed, 1_GiB + 10_MiB, 90_MiB);
  EXPECT_FALSE(too_small.fails(95_MiB).would_be_served_again());
}

TEST(OutOfMemory, FreeMemoryOfMinusOneIsNotTold) {
  Recording recording;
  recording.segment(1_GiB, 100_MiB, 70_MiB);
  recording.event(out_of_memory, UINT64_MAX, 40_MiB);
  const OutOfMemory failure = explain_out_of_memory(recording.snapshot(), 0, {}).back();
  EXPECT_EQ(failure.device_free_bytes, std::nullopt);
  EXPECT_EQ(failure.missing_bytes(), std::nullopt);
}

TEST(OutOfMemory, HolesThatWouldDoTogetherAreFragmentation) {
  Recording recording;
  recording.segment(1_GiB, 60_MiB, 30_MiB);
  recording.segment(2_GiB, 60_MiB, 40_MiB);
  const OutOfMemory failure = recording.fails(50_MiB);
  EXPECT_TRUE(failure.is_fragmentation());
  EXPECT_EQ(failure.hole_count(), 2U);
  EXPECT_FALSE(recording.fails(51_MiB).is_fragmentation());
}

TEST(OutOfMemory, NamesWhyAHoleThatIsLargeEnoughDidNotServe) {
  {
    Recording recording;
    recording.segment(1_GiB, 60_MiB, 10_MiB, 7);
    expect_one(recording.fails(50_MiB), HoleReason::of_another_stream, 50_MiB);
  }
  {
    Recording recording;
    recording.segment(1_GiB, 60_MiB, 10_MiB, 0, {1, 0});
    expect_one(recording.fails(50_MiB), HoleReason::of_another_pool, 50_MiB);
  }
  {
    Recording recording;
    recording.segment(1_GiB, 60_MiB, 10_MiB);
    expect_one(recording.fails(1_MiB), HoleReason::of_another_class, 50_MiB);
  }
  {
    Recording recording;
    recording.segment(1_GiB, 60_MiB, 10_MiB);
    expect_one(recording.fails(30_MiB, "max_split_size_mb:40"), HoleReason::split_limit, 50_MiB);
  }
  {
    Recording recording;
    recording.segment(1_GiB, 60_MiB, 10_MiB);
    expect_one(recording.fails(50_MiB), HoleReason::unexplained, 50_MiB);
  }
}

TEST(OutOfMemory, IsExplainedByTheStateOfItsMoment) {
  Recording recording;
  recording.segment(1_GiB, 60_MiB, 30_MiB);
  recording.event(segment_alloc, 3_GiB, 24_MiB);
  recording.event(alloc, 3_GiB, 24_MiB);
  static_cast<void>(recording.fails(50_MiB));
  // Later another segment comes, and the second one goes.
  recording.event(free_requested, 3_GiB, 24_MiB);
  recording.event(segment_free, 3_GiB, 24_MiB);
  recording.segment(5_GiB, 80_MiB, 80_MiB);
  static_cast<void>(recording.fails(90_MiB));
  const std::vector<OutOfMemory> failures = explain_out_of_memory(recording.snapshot(), 0, runtime::parse_settings(""));
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].reserved_bytes, 84_MiB);
  EXPECT_EQ(failures[0].in_use_bytes, 54_MiB);
  EXPECT_EQ(failures[0].hole_bytes(), 30_MiB);
  EXPECT_EQ(failures[1].reserved_bytes, 140_MiB);
  EXPECT_EQ(failures[1].in_use_bytes, 110_MiB);
}

TEST(OutOfMemory, FreesThatWaitForOtherStreamsAreInUse) {
  Recording recording;
  recording.segment(1_GiB, 60_MiB, 30_MiB);
  recording.event(alloc, 1_GiB + 30_MiB, 1_MiB + 512);
  recording.event(free_requested, 1_GiB + 30_MiB, 1_MiB + 512);
  recording.event(free_completed, 1_GiB + 30_MiB, 1_MiB + 512);
  recording.event(free_requested, 1_GiB, 30_MiB);
  const OutOfMemory failure = recording.fails(40_MiB);
  EXPECT_EQ(failure.waiting_bytes, 30_MiB);
  EXPECT_EQ(failure.in_use_bytes, 30_MiB);
}

TEST(OutOfMemory, OfNoneThereIsNoExplanation) {
  Recording recording;
  recording.segment(1_GiB, 60_MiB, 30_MiB);
  EXPECT_TRUE(explain_out_of_memory(recording.snapshot(), 0, {}).empty());
  EXPECT_TRUE(explain_out_of_memory(recording.snapshot(), 3, {}).empty());
}

TEST(ReservedAfter, PutsExpandableSegmentsTogether) {
  Recording recording;
  recording.snapshot().segments.push_back({1_GiB, 40_MiB, 0, 0, {0, 0}, true, true, {}});
  recording.event(segment_map, 1_GiB, 20_MiB);             // 0
  recording.event(segment_map, 1_GiB + 20_MiB, 40_MiB);    // 1
  recording.event(segment_unmap, 1_GiB + 40_MiB, 20_MiB);  // 2
  const auto bytes_after = [&](std::uint32_t event) {
    const std::vector<ReservedRange> ranges = reserved_before(recording.snapshot(), 0, event + std::size_t{1}).joined();
    EXPECT_EQ(ranges.size(), 1U);
    return ranges.at(0).end - ranges.at(0).begin;
  };
  EXPECT_EQ(bytes_after(2), 40_MiB);
  EXPECT_EQ(bytes_after(1), 60_MiB);
  EXPECT_EQ(bytes_after(0), 20_MiB);
}

TEST(ReservedAfter, UnmappingInTheMiddleLeavesTwoRanges) {
  Recording recording;
  recording.snapshot().segments.push_back({1_GiB, 60_MiB, 0, 0, {0, 0}, true, true, {}});
  recording.event(segment_map, 1_GiB + 20_MiB, 20_MiB);
  recording.event(segment_map, 1_GiB + 20_MiB, 20_MiB);
  const std::vector<ReservedRange> ranges = reserved_before(recording.snapshot(), 0, 1).joined();
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].end, 1_GiB + 20_MiB);
  EXPECT_EQ(ranges[1].begin, 1_GiB + 40_MiB);
  EXPECT_EQ(ranges[1].end, 1_GiB + 60_MiB);
}

}  // namespace
}  // namespace gpucheck::replay
