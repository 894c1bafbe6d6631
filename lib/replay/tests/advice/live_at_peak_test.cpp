#include "replay/advice/live_at_peak.hpp"

#include <gtest/gtest.h>

#include "advice_traces.hpp"
#include "replay/advice/search/play.hpp"

namespace gpucheck::replay {
namespace {

using Row = std::pair<std::uint64_t, std::uint64_t>;  // bytes, count

TEST(LiveAtPeak, GroupsWhatIsAllocatedThen) {
  TraceMaker maker;
  maker.free(maker.allocate(5_MiB));  // stack 1: gone by then
  maker.allocate(2_MiB);              // stack 2
  maker.allocate(512);                // stack 3
  maker.allocate(2_MiB);              // stack 2
  maker.allocate(3_MiB);              // stack 4: the peak, 7 MiB and 512 bytes
  maker.free(4);
  maker.allocate(1_MiB);
  const Trace trace = maker.trace();
  const LiveAtPeak live = live_at_peak(trace, {1, 1, 2, 3, 2, 4, 4, 5});
  EXPECT_EQ(live.step, 5U);
  EXPECT_EQ(live.bytes, 7_MiB + 512);
  EXPECT_EQ(live.count, 4U);
  ASSERT_EQ(live.by_stack.size(), 3U);
  EXPECT_EQ(live.by_stack[0].stack, 2U);
  EXPECT_EQ(live.by_stack[0].bytes, 4_MiB);
  EXPECT_EQ(live.by_stack[0].count, 2U);
  EXPECT_EQ(live.by_stack[1].stack, 4U);
  EXPECT_EQ(live.by_stack[2].stack, 3U);
  ASSERT_EQ(live.by_size.size(), 3U);
  EXPECT_EQ(live.by_size[0].size_bytes, 2_MiB);
  EXPECT_EQ(live.by_size[0].count, 2U);
  ASSERT_EQ(live.by_class.size(), 2U);
  EXPECT_EQ(live.by_class[0].name, "1 MiB to 10 MiB");
  EXPECT_EQ(live.by_class[0].bytes, 7_MiB);
  EXPECT_EQ(live.by_class[1].name, "up to 1 MiB");
}

TEST(LiveAtPeak, IsTheSameWithNumbersUsedAgain) {
  Trace trace = fragmenting_trace();
  const LiveAtPeak before = live_at_peak(trace, {});
  reuse_allocation_numbers(trace);
  const LiveAtPeak after = live_at_peak(trace, {});
  EXPECT_EQ(before.step, 1U) << "the first of two peaks of 120 MiB";
  EXPECT_EQ(after.step, before.step);
  EXPECT_EQ(after.bytes, 120_MiB);
  EXPECT_EQ(after.by_size.at(0).size_bytes, before.by_size.at(0).size_bytes);
  EXPECT_EQ(after.by_stack.at(0).stack, no_stack);
}

TEST(LiveAtPeak, WhatFailedWhenRecordedCountsAtItsMoment) {
  TraceMaker maker;
  maker.allocate(3_MiB);
  maker.try_allocate(4_MiB);
  maker.allocate(2_MiB);
  const LiveAtPeak live = live_at_peak(maker.trace(), {});
  EXPECT_EQ(live.step, 1U);
  EXPECT_EQ(live.bytes, 7_MiB);
  EXPECT_EQ(live.count, 2U);
}

TEST(LiveAtPeak, BoundsOfTheClasses) {
  for (const auto& [size, name] : std::vector<std::pair<std::uint64_t, std::string>>{{1_MiB, "up to 1 MiB"},
                                                                                     {1_MiB + 1, "1 MiB to 10 MiB"},
                                                                                     {10_MiB, "1 MiB to 10 MiB"},
                                                                                     {10_MiB + 1, "10 MiB to 100 MiB"},
                                                                                     {100_MiB + 1, "100 MiB to 1 GiB"},
                                                                                     {1_GiB + 1, "above 1 GiB"}}) {
    TraceMaker maker;
    maker.allocate(size);
    EXPECT_EQ(live_at_peak(maker.trace(), {}).by_class.at(0).name, name) << size;
  }
}

TEST(LiveAtPeak, OfNothingIsNothing) { EXPECT_EQ(live_at_peak(Trace{}, {}).count, 0U); }

}  // namespace
}  // namespace gpucheck::replay
