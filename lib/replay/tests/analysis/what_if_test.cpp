#include "replay/analysis/what_if.hpp"

#include <gtest/gtest.h>

#include "replay/tests/targets/scripted_target.hpp"

namespace gpucheck::replay {
namespace {

TEST(WhatIf, FindsThePeaksAndWhatLiesIdle) {
  Trace trace;
  trace.allocation_count = 3;
  trace.events = {{10, 0, 0, Action::allocate, false},  {0, 0, 0, Action::free, false},
                  {100, 1, 0, Action::allocate, false}, {300, 2, 0, Action::allocate, false},
                  {0, 2, 0, Action::free, false},       {0, 0, 0, Action::empty_cache, false}};
  ScriptedTarget target;
  const WhatIf result = what_if(trace, target);
  EXPECT_EQ(result.steps, 6U);
  ASSERT_TRUE(result.peak_reserved);
  EXPECT_EQ(result.peak_reserved->step, 3U);
  EXPECT_EQ(result.peak_reserved->reserved_bytes, 400);
  EXPECT_EQ(result.peak_allocated.allocated_bytes, 400);
  // Step 1 has everything idle, but little is reserved then.
  ASSERT_TRUE(result.worst_fragmentation);
  EXPECT_EQ(result.worst_fragmentation->step, 4U);
  EXPECT_DOUBLE_EQ(result.worst_fragmentation->fragmentation().value(), 0.75);
  EXPECT_FALSE(result.runs_out_of_memory());
  EXPECT_EQ(target.step_statistics()[allocated_bytes_statistic], 0) << "left as it was found";
}

TEST(WhatIf, CountsWhatLiesIdleFromHalfOfThePeakOn) {
  const auto worst = [](std::uint64_t first) {
    Trace trace;
    trace.allocation_count = 2;
    trace.events = {
        {first, 0, 0, Action::allocate, false}, {0, 0, 0, Action::free, false}, {200, 1, 0, Action::allocate, false}};
    ScriptedTarget target;
    return what_if(trace, target).worst_fragmentation->step;
  };
  EXPECT_EQ(worst(100), 1U) << "exactly half is reserved, and all of it idle";
  EXPECT_EQ(worst(99), 2U) << "less than half does not count";
}

TEST(WhatIf, TellsTheFirstOfEqualPeaksAndFailures) {
  Trace trace;
  trace.allocation_count = 5;
  trace.events = {{100, 0, 0, Action::allocate, false}, {60, 1, 0, Action::allocate, false},
                  {0, 0, 0, Action::free, false},       {100, 2, 0, Action::allocate, false},
                  {70, 3, 0, Action::allocate, false},  {80, 4, 0, Action::allocate, false}};
  ScriptedTarget target(200);
  const WhatIf result = what_if(trace, target);
  EXPECT_EQ(result.peak_allocated.step, 1U);
  EXPECT_EQ(result.peak_allocated.allocated_bytes, 160);
  EXPECT_EQ(result.peak_reserved->step, 1U);
  EXPECT_EQ(result.out_of_memory_count, 2U);
  EXPECT_EQ(result.first_out_of_memory->step, 4U);
  EXPECT_EQ(result.first_out_of_memory_bytes, 70U);
}

TEST(WhatIf, GoesOnAfterRunningOutOfMemory) {
  Trace trace;
  trace.allocation_count = 3;
  trace.events = {{100, 0, 0, Action::allocate, false},
                  {70, 1, 0, Action::allocate, false},
                  {0, 1, 1, Action::record_stream, false},
                  {0, 1, 0, Action::free, false},
                  {60, 2, 0, Action::allocate, false}};
  ScriptedTarget target(150);
  const WhatIf result = what_if(trace, target);
  EXPECT_TRUE(result.runs_out_of_memory());
  EXPECT_EQ(result.out_of_memory_count, 2U);
  ASSERT_TRUE(result.first_out_of_memory);
  EXPECT_EQ(result.first_out_of_memory->step, 1U);
  EXPECT_EQ(result.first_out_of_memory_bytes, 70U);
  EXPECT_EQ(target.calls,
            (std::vector<std::string>{"allocate 100 on 0", "allocate 70 on 0", "allocate 60 on 0", "free 100"}));
}

TEST(WhatIf, TellsWhetherAFailedAllocationWouldSucceed) {
  Trace trace;
  trace.allocation_count = 1;
  trace.events = {{100, 0, 2, Action::try_allocate, false}};
  ScriptedTarget roomy;
  const WhatIf rescued = what_if(trace, roomy);
  EXPECT_EQ(rescued.rescued_count, 1U);
  EXPECT_FALSE(rescued.runs_out_of_memory());
  EXPECT_EQ(roomy.calls, (std::vector<std::string>{"allocate 100 on 2", "free 100"}));
  ScriptedTarget tight(99);
  EXPECT_EQ(what_if(trace, tight).out_of_memory_count, 1U);
}

TEST(WhatIf, SamplesEvenlyAndKeepsTheLastStep) {
  Trace trace;
  trace.allocation_count = 1000;
  for (std::uint32_t id = 0; id < 1000; ++id) trace.events.push_back({1, id, 0, Action::allocate, false});
  ScriptedTarget target;
  const WhatIf result = what_if(trace, target, 4);
  ASSERT_EQ(result.samples.size(), 4U);
  EXPECT_EQ(result.samples[0].step, 249U);
  EXPECT_EQ(result.samples[3].step, 999U);
  EXPECT_EQ(result.samples[3].allocated_bytes, 1000);
  ScriptedTarget other;
  trace.events.resize(3);
  EXPECT_EQ(what_if(trace, other, 512).samples.size(), 3U) << "never more samples than steps";
}

TEST(WhatIf, WhatTheTargetDoesNotTellIsAbsent) {
  Trace trace;
  trace.allocation_count = 1;
  trace.events = {{100, 0, 0, Action::allocate, false}, {0, 0, 0, Action::free, false}};
  ScriptedTarget target;
  target.tells_reserved = false;
  const WhatIf result = what_if(trace, target);
  EXPECT_EQ(result.peak_allocated.allocated_bytes, 100);
  EXPECT_FALSE(result.peak_reserved);
  EXPECT_FALSE(result.worst_fragmentation);
  EXPECT_FALSE(result.retry_count);
  EXPECT_FALSE(result.samples.at(0).reserved_bytes);
}

TEST(WhatIf, AnAllocationOfNothingIsNotAFailure) {
  Trace trace;
  trace.allocation_count = 1;
  trace.events = {{0, 0, 0, Action::allocate, false}, {0, 0, 0, Action::free, false}};
  ScriptedTarget target;
  EXPECT_FALSE(what_if(trace, target).runs_out_of_memory());
}

}  // namespace
}  // namespace gpucheck::replay
