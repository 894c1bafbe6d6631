// What `gpucheck replay` says of replays that are made by hand, as a whole.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/text/units.hpp"
#include "commands/replay/replay_report.hpp"
#include "output/text_table.hpp"

namespace gpucheck::application {
namespace {

using namespace literals;
using replay::Action;
using replay::MemoryLimit;
using replay::Replay;
using replay::Subject;
using replay::SubjectReplays;
using replay::UsageSample;

Subject subject_named(const std::string& name) {
  Subject subject;
  subject.file = "trace.json";
  subject.trace.name = name;
  return subject;
}

SubjectReplays replays_of(const Subject& subject, std::vector<Replay> replays) {
  return {.subject = &subject, .replays = std::move(replays), .verdict = replay::Verdict::equal};
}

// -- comparisons -----------------------------------------------------------------------------------

/// Equal in all that was compared.
Replay equal_replay() {
  Replay replay;
  replay.comparison.emplace();
  replay.comparison->steps = 5;
  replay.comparison->compared_steps = replay.comparison->equal_steps = 4;
  replay.comparison->addresses = {.compared = 3, .equal = 2, .first_difference = std::nullopt};
  replay.comparison->final_statistics_compared = replay.comparison->final_segments_compared = 2;
  return replay;
}

/// Differs from its second step on, and in two things at the end.
Replay differing_replay() {
  Replay replay;
  replay.settings = "expandable_segments:True";
  replay.comparison.emplace();
  replay.comparison->steps = 3;
  replay.comparison->compared_steps = 2;
  replay.comparison->equal_steps = 1;
  replay.comparison->first_differences = {{.step = 1, .statistic = "first", .expected = 5, .seen = 6},
                                          {.step = 1, .statistic = "second", .expected = 7, .seen = 8}};
  replay.comparison->final_statistics_compared = 2;
  replay.comparison->final_differences = {{.what = "segments", .expected = "3", .seen = "4"},
                                          {.what = "segment 0", .expected = "absent", .seen = "9"}};
  replay.comparison->final_difference_count = 2;
  return replay;
}

const TextRow comparison_header{"trace", "settings", "at the end", "", "steps", "equal", "addresses"};

TEST(ReplayComparisonText, OfTwoTracesIsThisText) {
  const Subject first = subject_named("first");
  Subject second = subject_named("second");
  second.trace.events.resize(2);
  second.trace.events[1] = {.size = 512, .id = 4, .stream = 2, .action = Action::allocate};
  const std::vector<SubjectReplays> results{replays_of(first, {equal_replay(), Replay{}}),
                                            replays_of(second, {differing_replay()})};
  EXPECT_EQ(comparison_text(results),
            text_table({comparison_header,
                        {"first", "(defaults)", "2 statistics, 2 segments equal", "equal", "5", "4/4", "2/3"},
                        {"second", "expandable_segments:True", "2 differ", "DIFFERS", "3", "1/2", "-"}},
                       4) +
                "\nsecond, expandable_segments:True, differs:\n"
                "  first at step 1 of 3 (counted from 0), alloc 4 of 512 bytes on stream 2:\n"
                "    first: expected 5, seen 6\n    second: expected 7, seen 8\n"
                "  at the end:\n    segments: expected 3, seen 4\n    segment 0: expected absent, seen 9\n"
                "\n1 of 2 traces equal, 5 of 6 steps\n");
}

TEST(ReplayComparisonText, IsEmptyWhereNothingWasCompared) {
  const Subject subject = subject_named("first");
  EXPECT_EQ(comparison_text(std::vector<SubjectReplays>{replays_of(subject, {Replay{}})}), "");
  EXPECT_EQ(comparison_text({}), "");
}

TEST(ReplayComparisonText, CountsTheDifferencesThatItLeavesOut) {
  const Subject subject = subject_named("first");
  Replay replay = equal_replay();
  replay.comparison->final_differences = {{.what = "segments", .expected = "3", .seen = "4"}};
  replay.comparison->final_difference_count = 3;
  EXPECT_EQ(comparison_text(std::vector<SubjectReplays>{replays_of(subject, {replay})}),
            text_table({comparison_header, {"first", "(defaults)", "3 differ", "DIFFERS", "5", "4/4", "2/3"}}, 4) +
                "\nfirst, (defaults), differs:\n  at the end:\n    segments: expected 3, seen 4\n    and 2 more\n"
                "\n0 of 1 traces equal, 4 of 4 steps\n");
}

TEST(ReplayComparisonText, SaysWhereNothingWasExpectedAtTheEnd) {
  const Subject subject = subject_named("first");
  Replay replay = equal_replay();
  replay.comparison->final_statistics_compared = replay.comparison->final_segments_compared = 0;
  EXPECT_EQ(
      comparison_text(std::vector<SubjectReplays>{replays_of(subject, {replay})}),
      text_table({comparison_header, {"first", "(defaults)", "nothing expected", "equal", "5", "4/4", "2/3"}}, 4) +
          "\n1 of 1 traces equal, 4 of 4 steps\n");
}

struct Described {
  Action action;
  std::string text;
};
void PrintTo(const Described& described, std::ostream* out) { *out << described.text; }

class DescribedStep : public testing::TestWithParam<Described> {};

TEST_P(DescribedStep, HasWhatItsOperationNames) {
  Subject subject = subject_named("first");
  subject.trace.events = {{.size = 512, .id = 4, .stream = 2, .action = GetParam().action}};
  Replay replay = equal_replay();
  replay.comparison->equal_steps = 3;
  replay.comparison->first_differences = {{.step = 0, .statistic = "s", .expected = 1, .seen = 2}};
  const std::string text = comparison_text(std::vector<SubjectReplays>{replays_of(subject, {replay})});
  EXPECT_NE(text.find("(counted from 0), " + GetParam().text + ":\n"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Operations, DescribedStep,
                         testing::Values(Described{Action::allocate, "alloc 4 of 512 bytes on stream 2"},
                                         Described{Action::free, "free 4"},
                                         Described{Action::record_stream, "record_stream 4 on stream 2"},
                                         Described{Action::synchronize, "synchronize"},
                                         Described{Action::occupy_stream, "occupy_stream on stream 2"},
                                         Described{Action::set_memory_limit, "set_memory_limit of 512 bytes"},
                                         Described{Action::create_pool, "create_pool 4"},
                                         Described{Action::begin_capture, "begin_capture 4 on stream 2"},
                                         Described{Action::replay_graph, "replay_graph 4"}));

// -- what programs need ----------------------------------------------------------------------------

UsageSample sample_of(std::size_t step, std::uint64_t allocated, std::uint64_t reserved) {
  return {.step = step,
          .allocated_bytes = static_cast<std::int64_t>(allocated),
          .reserved_bytes = static_cast<std::int64_t>(reserved)};
}

/// With everything that can be known, and a failure.
Replay known_replay() {
  Replay replay;
  replay.device_name = "Simulated H100";
  replay.device_memory_bytes = 80_GiB;
  replay.what_if.emplace();
  replay.what_if->peak_reserved = sample_of(3, 300_MiB, 400_MiB);
  replay.what_if->peak_allocated = sample_of(2, 310_MiB, 390_MiB);
  replay.what_if->worst_fragmentation = sample_of(4, 100_MiB, 400_MiB);
  replay.what_if->samples = {sample_of(0, 100_MiB, 100_MiB), sample_of(4, 150_MiB, 200_MiB)};
  replay.what_if->out_of_memory_count = 1;
  replay.what_if->first_out_of_memory = sample_of(4, 100_MiB, 200_MiB);
  replay.what_if->first_out_of_memory_bytes = 64_MiB;
  replay.what_if->rescued_count = 1;
  replay.what_if->retry_count = 2;
  replay.what_if->remarks = {"be careful", "be quick"};
  return replay;
}

/// With nothing that the allocator may not say, and nothing to tell.
Replay silent_replay() {
  Replay replay;
  replay.settings = "backend:cudaMallocAsync";
  replay.limit = {.source = MemoryLimit::Source::requested, .bytes = 2_GiB};
  replay.what_if.emplace();
  replay.what_if->samples = {{.step = 0, .allocated_bytes = 1, .reserved_bytes = std::nullopt},
                             {.step = 4, .allocated_bytes = 1, .reserved_bytes = std::nullopt}};
  return replay;
}

const TextRow need_header{"settings",     "peak reserved", "peak allocated", "unused then",
                          "worst unused", "retries",       "out of memory"};
const std::string whole_device =
    "  memory    all of Simulated H100 (80.00 GiB): the file does not say another size; --memory-limit sets one\n";

TEST(WhatIfText, OfOneReplayIsThisText) {
  const Subject subject = subject_named("first");
  EXPECT_EQ(
      what_if_text(replays_of(subject, {known_replay()}), {}),
      "trace.json, first\n" + whole_device + "\n" +
          text_table({need_header, {"(defaults)", "400.00 MiB", "310.00 MiB", "25.0%", "75.0%", "2", "1 TIME"}}, 1,
                     "  ") +
          "\n  (defaults) runs out of memory first at step 4: 64.00 MiB asked for, with 200.00 MiB reserved and 100.00 "
          "MiB of it allocated\n"
          "  (defaults) has room for 1 allocation that failed when recorded\n"
          "  (defaults): be careful\n  (defaults): be quick\n"
          "\n" +
          text_table({{"after step", "reserved", "unused"},
                      {"step 0", "100.00 MiB", "0.0%"},
                      {"step 4", "200.00 MiB", "25.0%"}},
                     1, "  "));
}

TEST(WhatIfText, OfTwoReplaysNumbersThem) {
  const Subject subject = subject_named("first");
  Replay quiet = known_replay();
  quiet.what_if->first_out_of_memory.reset();
  quiet.what_if->out_of_memory_count = quiet.what_if->rescued_count = 0;
  quiet.what_if->remarks.clear();
  const std::string usage = text_table({{"after step", "reserved [1]", "unused", "reserved [2]", "unused"},
                                        {"step 0", "100.00 MiB", "0.0%", "unknown", "unknown"},
                                        {"step 4", "200.00 MiB", "25.0%", "unknown", "unknown"}},
                                       1, "  ");
  EXPECT_EQ(
      what_if_text(replays_of(subject, {quiet, silent_replay()}), {}),
      "trace.json, first\n" + whole_device + "\n" +
          text_table({need_header,
                      {"[1] (defaults)", "400.00 MiB", "310.00 MiB", "25.0%", "75.0%", "2", "no"},
                      {"[2] backend:cudaMallocAsync", "unknown", "0 bytes", "unknown", "unknown", "unknown", "no"}},
                     1, "  ") +
          "\n" + usage);
}

TEST(WhatIfText, ShowsTenPointsInTime) {
  const Subject subject = subject_named("first");
  for (const std::size_t count : {1U, 9U, 10U, 11U, 25U}) {
    Replay replay = silent_replay();
    replay.what_if->samples.clear();
    for (std::size_t i = 0; i < count; ++i) replay.what_if->samples.push_back(sample_of(i, 1, 1));
    const std::string text = what_if_text(replays_of(subject, {replay}), {});
    std::vector<TextRow> rows{{"after step", "reserved", "unused"}};
    const std::vector<std::size_t> steps = count == 11   ? std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 10}
                                           : count == 25 ? std::vector<std::size_t>{1, 4, 6, 9, 11, 14, 16, 19, 21, 24}
                                                         : std::vector<std::size_t>{};
    for (const std::size_t step : steps) rows.push_back({fmt::format("step {}", step), "1 bytes", "0.0%"});
    for (std::size_t i = 0; steps.empty() && i < count; ++i) {
      rows.push_back({fmt::format("step {}", i), "1 bytes", "0.0%"});
    }
    EXPECT_TRUE(text.ends_with("\n\n" + text_table(rows, 1, "  "))) << text;
  }
}

TEST(WhatIfText, OfNoEventsSaysSo) {
  const Subject subject = subject_named("first");
  SubjectReplays nothing{.subject = &subject, .replays = {}, .verdict = replay::Verdict::empty};
  EXPECT_EQ(what_if_text(nothing, {}), "trace.json, first\n  holds no events: nothing was replayed\n");
}

TEST(WhatIfText, CountsTheEventsOfARecording) {
  Subject subject = subject_named("first");
  subject.recorded.emplace();
  subject.recorded->settings_are_recorded = true;
  subject.recorded->setting_changes = 1;
  subject.recorded_events = {replay::Conversion::no_event, 10, 11, 12, 13};
  Replay replay = known_replay();
  replay.limit = {.source = MemoryLimit::Source::trace, .bytes = 2_GiB};
  replay.what_if->remarks.clear();
  replay.what_if->rescued_count = 2;
  replay.what_if->out_of_memory_count = 2;
  EXPECT_EQ(
      what_if_text(replays_of(subject, {replay}), {}),
      "trace.json, first\n" + recorded_text(*subject.recorded) + "  memory    2.00 GiB, as recorded\n\n" +
          text_table(
              {need_header, {"(defaults) at first", "400.00 MiB", "310.00 MiB", "25.0%", "75.0%", "2", "2 TIMES"}}, 1,
              "  ") +
          "\n  (defaults) runs out of memory first at event 13: 64.00 MiB asked for, with 200.00 MiB reserved and "
          "100.00 MiB of it allocated\n"
          "  (defaults) has room for 2 allocations that failed when recorded\n\n" +
          text_table({{"after event", "reserved", "unused"},
                      {"the blocks from before the first event", "100.00 MiB", "0.0%"},
                      {"event 13", "200.00 MiB", "25.0%"}},
                     1, "  "));
}

}  // namespace
}  // namespace gpucheck::application
