#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/units.hpp"
#include "commands/advise/advice_report.hpp"
#include "commands/inspect/growth_report.hpp"

/// What is said of a failure, of what is live, and of what grew, all made by hand.
namespace gpucheck::application {
namespace {

using namespace literals;
using replay::Advice;
using replay::HoleReason;
using replay::OutOfMemory;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string one_space(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || !result.ends_with(' ')) result += c;
  }
  return result;
}

/// 20 MiB asked for, 5 MiB free on the device, 100 MiB reserved and 70 of it in use.
OutOfMemory failure_of_20_mib() {
  OutOfMemory failure;
  failure.event = 7;
  failure.asked_bytes = failure.segment_bytes = 20_MiB;
  failure.stream = 0xab;
  failure.device_free_bytes = 5_MiB;
  failure.reserved_bytes = 100_MiB;
  failure.in_use_bytes = 70_MiB;
  return failure;
}

std::string text_of(const OutOfMemory& failure, std::uint64_t recorded_failures = 1) {
  Advice advice;
  advice.failures = {failure};
  advice.recorded.out_of_memory = recorded_failures;
  return one_space(failures_text(advice, {}));
}

TEST(FailuresText, SaysWhatWasAskedForAndWhatThereWas) {
  OutOfMemory failure = failure_of_20_mib();
  EXPECT_THAT(text_of(failure),
              AllOf(HasSubstr("ran out at event 7: 20.00 MiB asked for on stream 0xab, from the default "
                              "pool, with 5.00 MiB free on the device."),
                    HasSubstr("100.00 MiB were reserved then, 70.00 MiB of it in use; 0 bytes lay free in "
                              "0 holes.\n")));
  failure.segment_bytes = 22_MiB;
  failure.pool = {2, 3};
  EXPECT_THAT(text_of(failure),
              HasSubstr("from the private (2, 3) pool (as a segment of 22.00 MiB), with 5.00 MiB free"));
  failure.device_free_bytes.reset();
  EXPECT_THAT(text_of(failure), HasSubstr("how much was free on the device the file does not say"));
  failure.reserved_bytes = 0;
  EXPECT_THAT(text_of(failure), HasSubstr("The file holds no segments"));
}

TEST(FailuresText, SaysHowMuchMemoryWouldHaveServed) {
  OutOfMemory failure = failure_of_20_mib();
  EXPECT_THAT(text_of(failure), HasSubstr("- 15.00 MiB more memory"));
  failure.device_free_bytes = 20_MiB;
  EXPECT_THAT(text_of(failure), AllOf(Not(HasSubstr("more memory")),
                                      HasSubstr("set_per_process_memory_fraction) of 120.00 MiB: the device")))
      << "what was reserved and what was asked for";
  failure.device_free_bytes.reset();
  EXPECT_THAT(text_of(failure), AllOf(Not(HasSubstr("more memory")), Not(HasSubstr("set_per_process"))));
}

TEST(FailuresText, ListsTheHolesThatDidNotServe) {
  OutOfMemory failure = failure_of_20_mib();
  failure.holes = {{HoleReason::too_small, 3, 18_MiB, 9_MiB}, {HoleReason::of_another_pool, 1, 12_MiB, 12_MiB}};
  const std::string text = text_of(failure);
  EXPECT_THAT(text, HasSubstr("30.00 MiB lay free in 4 holes, none of which served:\n"));
  EXPECT_THAT(text, HasSubstr("are too small, each by itself 3 18.00 MiB 9.00 MiB\n"));
  EXPECT_THAT(text, HasSubstr("belong to another memory pool 1 12.00 MiB 12.00 MiB\n"));
  EXPECT_THAT(text, Not(HasSubstr("in one piece"))) << "18 MiB in pieces are less than 20";
  EXPECT_THAT(text, Not(HasSubstr("the same memory pool"))) << "12 MiB are not enough";
  failure.holes[0].bytes = 20_MiB;
  failure.holes[1].largest_bytes = 20_MiB;
  EXPECT_THAT(text_of(failure), AllOf(HasSubstr("the same free memory in one piece"),
                                      HasSubstr("the same memory pool as that of the hole: the largest such hole has "
                                                "20.00 MiB\n")));
}

TEST(FailuresText, SaysForEachReasonWhatWouldHaveServed) {
  for (const auto& [reason, row, change] : std::vector<std::tuple<HoleReason, const char*, const char*>>{
           {HoleReason::expandable_off, "were switched off by then", "- expandable_segments:True, as it was when"},
           {HoleReason::split_limit, "above max_split_size", "- a higher max_split_size_mb, or none"},
           {HoleReason::of_another_stream, "belong to another stream", "- the same stream as that of the hole"},
           {HoleReason::of_another_pool, "another memory pool", "- the same memory pool as that of the hole"},
           {HoleReason::of_another_class, "segments for small blocks", nullptr},
           {HoleReason::unexplained, "the file does not say all", nullptr}}) {
    OutOfMemory failure = failure_of_20_mib();
    failure.holes = {{reason, 1, 32_MiB, 32_MiB}};
    const std::string text = text_of(failure);
    EXPECT_THAT(text, HasSubstr(row));
    if (change != nullptr) {
      EXPECT_THAT(text, HasSubstr(change));
      EXPECT_THAT(text, HasSubstr("the largest such hole has 32.00 MiB\n"));
    } else {
      EXPECT_THAT(text, Not(HasSubstr("the largest such hole")));
    }
  }
}

TEST(FailuresText, ToAskAgainComesBeforeMoreMemory) {
  OutOfMemory failure = failure_of_20_mib();
  failure.holes = {{HoleReason::too_small, 1, 1_MiB, 1_MiB}, {HoleReason::free_too_late, 1, 24_MiB, 24_MiB}};
  EXPECT_THAT(text_of(failure), AllOf(HasSubstr("- to ask again, or to synchronize before: 24.00 MiB in one piece"),
                                      Not(HasSubstr("more memory"))));
  failure.waiting_bytes = 19_MiB;
  EXPECT_THAT(text_of(failure), Not(HasSubstr("a wait for other streams:")));
  failure.waiting_bytes = 20_MiB;
  EXPECT_THAT(text_of(failure), HasSubstr("- a wait for other streams: 20.00 MiB were freed"));
}

TEST(FailuresText, CountsThoseThatAreNotToldOneByOne) {
  EXPECT_THAT(text_of(failure_of_20_mib(), 1), Not(HasSubstr("in between")));
  EXPECT_THAT(text_of(failure_of_20_mib(), 2), Not(HasSubstr("in between")));
  EXPECT_THAT(text_of(failure_of_20_mib(), 3), HasSubstr("It ran out 1 time in between."));
  EXPECT_THAT(text_of(failure_of_20_mib(), 7), HasSubstr("It ran out 5 times in between."));
  EXPECT_EQ(failures_text({}, {}), "");
}

TEST(FailuresText, NamesTheSimplestSettingsThatServe) {
  Advice advice;
  advice.failures = {failure_of_20_mib()};
  advice.recorded_settings = "r";
  advice.limit_is_recorded = true;
  for (const auto& [settings, keys, failures] :
       std::vector<std::tuple<std::string, int, std::uint64_t>>{{"a,b", 2, 0}, {"c", 1, 0}, {"d", 1, 0}, {"r", 0, 1}}) {
    replay::RankedSettings row{.settings = settings, .keys = keys};
    row.at_limit.emplace().out_of_memory_count = failures;
    advice.search.ranking.push_back(row);
  }
  EXPECT_THAT(failures_text(advice, {}), HasSubstr("- the settings c: under them all that is recorded runs"));
  advice.search.ranking.back().at_limit->out_of_memory_count = 0;
  EXPECT_THAT(failures_text(advice, {}),
              HasSubstr("under the settings it ran with: something that is not in the file"));
  advice.limit_is_recorded = false;
  EXPECT_THAT(failures_text(advice, {}), Not(HasSubstr("is recorded runs")));
}

// -- what is live at the peak ------------------------------------------------------------------

Advice with_groups(std::size_t count) {
  Advice advice;
  advice.recorded_events = {5, replay::Conversion::no_event, 9};
  advice.live.step = 2;
  for (std::size_t i = 0; i < count; ++i) {
    replay::LiveGroup group{.bytes = 10_MiB, .count = i + 1, .size_bytes = (i + 1) * 2_MiB};
    group.name = "class " + std::to_string(i);
    advice.live.bytes += group.bytes;
    advice.live.count += group.count;
    advice.live.by_size.push_back(group);
    advice.live.by_class.push_back(group);
  }
  return advice;
}

TEST(LiveText, HasTheTenLargestGroupsAndTheOthersTogether) {
  const std::string ten = one_space(live_text(with_groups(10), {}));
  EXPECT_THAT(ten, HasSubstr("after event 9: 100.00 MiB in 55 allocations (as asked for)\n"));
  EXPECT_THAT(ten, HasSubstr("class 9 10 10.00 MiB 10.0%\n"));
  EXPECT_THAT(ten, HasSubstr("20.00 MiB 10 10.00 MiB 10.0%\n"));
  EXPECT_THAT(ten, Not(HasSubstr("others")));
  const std::string twelve = one_space(live_text(with_groups(12), {}));
  EXPECT_THAT(twelve, Not(HasSubstr("class 10")));
  EXPECT_THAT(twelve, HasSubstr("2 others 23 20.00 MiB 16.7%\n")) << "11 and 12 allocations, 20 of 120 MiB";
  EXPECT_THAT(twelve, HasSubstr("The file holds no stacks"));
}

TEST(LiveText, OfNothingIsNothingAndOfTheBeginningSaysSo) {
  EXPECT_EQ(live_text(with_groups(0), {}), "");
  Advice advice = with_groups(1);
  advice.live.step = 1;
  EXPECT_THAT(live_text(advice, {}), HasSubstr("allocated, before the first event: 10.00 MiB in 1 allocation (as"));
}

// -- what grew ---------------------------------------------------------------------------------

replay::DeviceGrowth growth_of(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& stacks) {
  replay::DeviceGrowth device;
  device.device_before = device.device_after = 1;
  device.before.reserved_bytes = 100_MiB;
  device.after.reserved_bytes = 130_MiB;
  device.before.allocated_bytes = 60_MiB;
  device.before.pending_free_bytes = 20_MiB;
  device.after.allocated_bytes = 50_MiB;
  device.before.inactive_bytes = device.after.inactive_bytes = 7_MiB;
  std::uint64_t blocks = 1;
  for (const auto& [before, after] : stacks) {
    device.by_stack.push_back(
        {.bytes_before = before, .bytes_after = after, .count_before = blocks, .count_after = blocks + 100});
    ++blocks;
  }
  return device;
}

std::string growth_as_text(const replay::DeviceGrowth& device) {
  replay::Growth growth;
  growth.devices = {device};
  return one_space(growth_text(growth, "a.pickle", "b.pickle"));
}

TEST(GrowthText, TellsEachSumBeforeAndAfter) {
  const std::string text = growth_as_text(growth_of({}));
  EXPECT_THAT(text, HasSubstr("before: a.pickle\nafter: b.pickle\n\ndevice 1:\n"));
  EXPECT_THAT(text, HasSubstr("reserved 100.00 MiB 130.00 MiB +30.00 MiB\n"));
  EXPECT_THAT(text, HasSubstr("in use 80.00 MiB 50.00 MiB -30.00 MiB\n"));
  EXPECT_THAT(text, HasSubstr("inactive 7.00 MiB 7.00 MiB 0 bytes\n"));
  EXPECT_THAT(text, HasSubstr("No stack has more or less in use than before."));
}

TEST(GrowthText, SaysWhoseTheMemoryIs) {
  replay::DeviceGrowth device = growth_of({});
  device.device_after = 2;
  EXPECT_THAT(growth_as_text(device), HasSubstr("device 1 of the first and 2 of the second:\n"));
  device.device_before.reset();
  EXPECT_THAT(growth_as_text(device), HasSubstr("device 2, which only the second holds:\n"));
  device.device_before = 3;
  device.device_after.reset();
  EXPECT_THAT(growth_as_text(device), HasSubstr("device 3, which only the first holds:\n"));
}

/// 25 that grew, one that stayed, 13 that shrank: the first 20 and the last 10 have a row.
TEST(GrowthText, ShowsWhatGrewAndShrankMost) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> stacks;
  for (std::uint64_t i = 0; i < 25; ++i) stacks.emplace_back(2_MiB, (102 - i) * 1_MiB);
  stacks.emplace_back(300_MiB, 300_MiB);
  for (std::uint64_t i = 0; i < 13; ++i) stacks.emplace_back((202 + i) * 1_MiB, 2_MiB);
  const std::string text = growth_as_text(growth_of(stacks));
  EXPECT_THAT(text, HasSubstr("2.00 MiB 102.00 MiB +100.00 MiB 1 101\n"));
  EXPECT_THAT(text, HasSubstr("+81.00 MiB 20 120\n"));
  EXPECT_THAT(text, Not(HasSubstr("+80.00 MiB")));
  EXPECT_THAT(text, Not(HasSubstr("300.00 MiB")));
  EXPECT_THAT(text, Not(HasSubstr("-202.00 MiB")));
  EXPECT_THAT(text, HasSubstr("-203.00 MiB 30 130\n"));
  EXPECT_THAT(text, HasSubstr("214.00 MiB 2.00 MiB -212.00 MiB 39 139\n"));
  EXPECT_THAT(text, HasSubstr("and 8 stacks that changed by less\n")) << "38 changed, 30 are shown";
}

}  // namespace
}  // namespace gpucheck::application
