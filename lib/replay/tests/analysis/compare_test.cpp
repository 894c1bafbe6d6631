#include "replay/analysis/compare.hpp"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "replay/tests/targets/scripted_target.hpp"

namespace gpucheck::replay {
namespace {

/// Two allocations of 100 and 50 bytes, the first freed; with allocated and reserved
/// bytes after each step.
Trace two_allocations() {
  Trace trace;
  trace.name = "two";
  trace.allocation_count = 2;
  trace.events = {
      {100, 0, 0, Action::allocate, false}, {50, 1, 0, Action::allocate, false}, {0, 0, 0, Action::free, false}};
  trace.statistic_columns = {allocated_bytes_statistic, reserved_bytes_statistic};
  trace.expected_statistics = {100, 100, 150, 150, 50, 150};
  return trace;
}

TEST(Compare, FindsEqualWhatIsEqual) {
  ScriptedTarget target;
  const Comparison result = compare(two_allocations(), target);
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(result.steps, 3U);
  EXPECT_EQ(result.compared_steps, 3U);
  EXPECT_EQ(result.equal_steps, 3U);
  EXPECT_TRUE(result.first_differences.empty());
}

TEST(Compare, LeavesTheTargetEmpty) {
  ScriptedTarget target;
  (void)compare(two_allocations(), target);
  EXPECT_EQ(target.step_statistics()[allocated_bytes_statistic], 0);
}

TEST(Compare, ReportsTheFirstDifferenceAndGoesOn) {
  Trace trace = two_allocations();
  trace.expected_statistics = {100, 100, 150, 200, 50, 200};
  ScriptedTarget target;
  const Comparison result = compare(trace, target);
  EXPECT_FALSE(result.equal());
  EXPECT_EQ(result.equal_steps, 1U);
  ASSERT_EQ(result.first_differences.size(), 1U);
  EXPECT_EQ(result.first_differences[0].step, 1U);
  EXPECT_EQ(result.first_differences[0].statistic, "reserved_bytes.all.current");
  EXPECT_EQ(result.first_differences[0].expected, 200);
  EXPECT_EQ(result.first_differences[0].seen, 150);
}

TEST(Compare, ReportsEachDifferenceOfTheFirstStepThatDiffers) {
  Trace trace = two_allocations();
  trace.expected_statistics = {100, 100, 151, 152, 53, 154};
  ScriptedTarget target;
  const Comparison result = compare(trace, target);
  ASSERT_EQ(result.first_differences.size(), 2U);
  EXPECT_EQ(result.first_differences[0].expected, 151);
  EXPECT_EQ(result.first_differences[1].expected, 152);
  EXPECT_EQ(result.first_differences[1].step, 1U);
}

TEST(Compare, LeavesTheStatisticsOfStepsWithoutARowAlone) {
  const auto compared = [](std::vector<std::int64_t> statistics, std::vector<std::size_t> unrecorded) {
    Trace trace = two_allocations();
    trace.expected_statistics = std::move(statistics);
    trace.unrecorded_steps = std::move(unrecorded);
    ScriptedTarget target;
    return compare(trace, target);
  };
  // An allocation is compared all the same, for whether it ran out of memory; a free is not.
  EXPECT_TRUE(compared({-1, -1, 150, 150, 50, 150}, {0}).equal());
  EXPECT_TRUE(compared({100, 100, -1, -1, 50, 150}, {1}).equal());
  EXPECT_EQ(compared({100, 100, -1, -1, 50, 150}, {1}).compared_steps, 3U);
  EXPECT_TRUE(compared({100, 100, 150, 150, -1, -1}, {2}).equal());
  EXPECT_EQ(compared({100, 100, 150, 150, -1, -1}, {2}).compared_steps, 2U);
  EXPECT_TRUE(compared({-1, -1, -1, -1, -1, -1}, {0, 1, 2}).equal());
  for (const std::size_t recorded : {0U, 1U, 2U}) {
    std::vector<std::size_t> others{0, 1, 2};
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(recorded));
    const Comparison result = compared({-1, -1, -1, -1, -1, -1}, others);
    EXPECT_FALSE(result.equal()) << recorded;
    ASSERT_EQ(result.first_differences.size(), 2U);
    EXPECT_EQ(result.first_differences[0].step, recorded);
  }
}

TEST(Compare, HoldsRunningOutOfMemoryAgainstTheTrace) {
  Trace trace = two_allocations();
  trace.expected_statistics = {100, 100, 100, 100, 0, 100};
  trace.events[1].expect_out_of_memory = true;
  ScriptedTarget limited(120);
  EXPECT_TRUE(compare(trace, limited).equal());
  ScriptedTarget unlimited;
  const Comparison result = compare(trace, unlimited);
  ASSERT_FALSE(result.first_differences.empty());
  EXPECT_EQ(result.first_differences[0].statistic, "out of memory");
  EXPECT_EQ(result.first_differences[0].expected, 1);
}

TEST(Compare, WithNothingExpectedNothingIsEqual) {
  Trace trace;
  trace.events = {{0, 0, 0, Action::synchronize, false}};
  ScriptedTarget target;
  const Comparison result = compare(trace, target);
  EXPECT_EQ(result.compared_steps, 0U);
  EXPECT_FALSE(result.equal());
}

TEST(Compare, CountsAddressesThatComeBack) {
  Trace trace = two_allocations();
  trace.expected_same_address = {0, 0};
  ScriptedTarget target;  // never gives an address twice
  const Comparison result = compare(trace, target);
  EXPECT_EQ(result.addresses.compared, 2U);
  EXPECT_EQ(result.addresses.equal, 1U);
  EXPECT_EQ(result.addresses.first_difference, 1U);
  EXPECT_TRUE(result.equal()) << "addresses do not count";
}

TEST(Compare, ComparesFinalStatisticsBothWays) {
  Trace trace = two_allocations();
  trace.final_statistics = {{"active", 1}, {"missing", 2}};
  ScriptedTarget target;
  target.final_statistics = {{"active", 3}, {"unexpected", 4}};
  const Comparison result = compare(trace, target);
  EXPECT_FALSE(result.equal());
  EXPECT_EQ(result.equal_steps, 3U);
  EXPECT_EQ(result.final_statistics_compared, 3U);
  ASSERT_EQ(result.final_differences.size(), 3U);
  EXPECT_EQ(result.final_differences[0].what, "active");
  EXPECT_EQ(result.final_differences[0].expected, "1");
  EXPECT_EQ(result.final_differences[0].seen, "3");
  EXPECT_EQ(result.final_differences[1].seen, "absent");
  EXPECT_EQ(result.final_differences[2].expected, "absent");
}

TEST(Compare, ComparesFinalSegmentsWhereverTheyLie) {
  const SegmentLayout first{1024, true, false, {{512, 5, "active_allocated"}, {512, 0, "inactive"}}};
  const SegmentLayout second{2048, false, true, {{2048, 7, "inactive"}}};
  Trace trace = two_allocations();
  trace.final_segments = {first, second};
  ScriptedTarget target;
  target.final_segments = {second, first};
  EXPECT_TRUE(compare(trace, target).equal());

  target.final_segments[1].blocks[0].requested_size = 6;
  const Comparison changed = compare(trace, target);
  ASSERT_EQ(changed.final_differences.size(), 1U);
  EXPECT_EQ(changed.final_differences[0].what, "segment 0, block 0");
  EXPECT_EQ(changed.final_differences[0].expected, "512 bytes, 5 requested, active_allocated");
  EXPECT_EQ(changed.final_differences[0].seen, "512 bytes, 6 requested, active_allocated");

  for (const std::vector<SegmentLayout>& others :
       {std::vector{first}, std::vector{second}, std::vector{first, second, second}, std::vector<SegmentLayout>{}}) {
    ScriptedTarget fresh;  // whose steps are all equal
    fresh.final_segments = others;
    const Comparison result = compare(trace, fresh);
    EXPECT_EQ(result.equal_steps, 3U);
    EXPECT_FALSE(result.equal());
    ASSERT_FALSE(result.final_differences.empty());
    EXPECT_EQ(result.final_differences[0].what, "segments");
    EXPECT_EQ(result.final_differences[0].expected, "2");
    EXPECT_EQ(result.final_differences[0].seen, std::to_string(others.size()));
  }
}

TEST(Compare, KeepsTheListOfDifferencesShort) {
  Trace trace = two_allocations();
  for (int i = 0; i < 100; ++i) trace.final_statistics.emplace_back("statistic " + std::to_string(i), 1);
  ScriptedTarget target;
  const Comparison result = compare(trace, target);
  EXPECT_EQ(result.final_difference_count, 100U);
  EXPECT_EQ(result.final_differences.size(), max_final_differences);
}

TEST(Compare, NamesTheStepAtWhichTheTargetFails) {
  class Broken final : public ComparableTarget {
   public:
    Allocation allocate(std::uint64_t, std::uint16_t) override { throw Error("device lost"); }
    void free(void*) override {}
    void record_stream(void*, std::uint16_t) override {}
    void synchronize() override {}
    void empty_cache() override {}
    Usage usage() override { return {}; }
    StepStatistics step_statistics() override { return {}; }
    std::vector<NamedStatistic> statistics() override { return {}; }
    std::vector<SegmentLayout> segments() override { return {}; }
  } target;
  try {
    (void)compare(two_allocations(), target);
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_STREQ(error.what(), "trace two, step 0: device lost");
  }
}

}  // namespace
}  // namespace gpucheck::replay
