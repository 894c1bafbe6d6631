#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text/units.hpp"
#include "commands/advise/advice_report.hpp"

/// What is said of advice that was made by hand.
namespace gpucheck::application {
namespace {

using namespace literals;
using replay::Advice;
using replay::AdviceOutcome;
using replay::RankedSettings;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// With runs of spaces as one, so that columns may have any width.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || !result.ends_with(' ')) result += c;
  }
  return result;
}

RankedSettings ranked(const std::string& settings, std::optional<std::uint64_t> smallest, std::uint64_t peak_reserved) {
  RankedSettings row{.settings = settings, .keys = settings.empty() ? 0 : 1};
  row.smallest_memory_bytes = smallest;
  row.unlimited.peak_reserved_bytes = peak_reserved;
  row.unlimited.allocated_at_peak_bytes = peak_reserved / 4;
  row.unlimited.device_allocations = 12;
  row.at_smallest.retries = 3;
  return row;
}

/// Recorded under the defaults, which need 170 MiB; "a:1" is advised, and needs 120. 60 MiB are allocated at once.
Advice better_advice() {
  Advice advice;
  advice.search.ranking = {ranked("a:1", 120_MiB, 110_MiB), ranked("", 170_MiB, 160_MiB)};
  advice.search.outcome = AdviceOutcome::advised;
  advice.search.advised = "a:1";
  advice.search.least_bytes = 60_MiB;
  return advice;
}

/// `failures` of them, and so many retries, within the limit.
replay::PlayFigures within_limit(std::uint64_t failures, std::int64_t retries = 0) {
  replay::PlayFigures figures;
  figures.out_of_memory_count = failures;
  figures.retries = retries;
  return figures;
}

std::string verdict_on(const Advice& advice, bool wants_line = true) { return verdict_text({}, advice, wants_line); }

TEST(AdviceVerdict, SaysWhatTheAdvisedSettingsSave) {
  EXPECT_THAT(
      verdict_on(better_advice()),
      AllOf(StartsWith("\n  Set this: the program then runs to its end in 120.00 MiB, 50.00 MiB (29.4%) less than "
                       "with the settings it ran with.\n\n    export PYTORCH_CUDA_ALLOC_CONF='a:1'\n"),
            HasSubstr("  No settings can go below 60.00 MiB, which is allocated at once: 50.0% of that memory.\n")));
  EXPECT_THAT(verdict_on(better_advice(), false),
              AllOf(HasSubstr("With what is advised for all programs: the program then runs to its end in 120.00 MiB"),
                    Not(HasSubstr("export"))));
}

TEST(AdviceVerdict, SaysWhatIsReservedLessWhereTheSmallestMemoryIsNoLess) {
  Advice advice = better_advice();
  advice.search.ranking[0].smallest_memory_bytes = 170_MiB;
  EXPECT_THAT(verdict_on(advice),
              HasSubstr("in 170.00 MiB and, without a limit, reserves 110.00 MiB, 50.00 MiB (31.2%) less than with"));
  advice.search.ranking[0].unlimited.peak_reserved_bytes = 160_MiB;
  EXPECT_THAT(verdict_on(advice), HasSubstr("in 170.00 MiB.\n")) << "equal is no less";
  advice.recorded_settings = "rejected:1";
  EXPECT_THAT(verdict_on(advice), Not(HasSubstr("less than"))) << "nothing to compare with";
}

TEST(AdviceVerdict, SaysHowItRunsWithinTheLimit) {
  Advice advice = better_advice();
  advice.memory_limit_bytes = 150_MiB;
  advice.search.ranking[0].at_limit = within_limit(0);
  advice.search.ranking[1].at_limit = within_limit(2);
  EXPECT_THAT(verdict_on(advice), HasSubstr("; within 150.00 MiB without a retry.\n"));
  EXPECT_THAT(verdict_on(advice), Not(HasSubstr("does not fit")));
  advice.search.ranking[0].at_limit = within_limit(0, 4);
  EXPECT_THAT(verdict_on(advice), HasSubstr("; within 150.00 MiB with 4 retries.\n"));
  advice.search.ranking[0].at_limit = within_limit(1);
  EXPECT_THAT(verdict_on(advice), AllOf(HasSubstr("It does not fit: of all settings tried, none runs to its end within "
                                                  "150.00 MiB."),
                                        Not(HasSubstr("; within"))));
}

TEST(AdviceVerdict, SaysWhatNoSettingsCanDo) {
  Advice advice = better_advice();
  advice.memory_limit_bytes = 60_MiB;
  EXPECT_THAT(verdict_on(advice), Not(HasSubstr("No settings can help"))) << "exactly as much";
  advice.memory_limit_bytes = 40_MiB;
  EXPECT_THAT(
      verdict_on(advice),
      StartsWith("\n  No settings can help within 40.00 MiB: the program has 60.00 MiB allocated at once, 20.00 MiB "
                 "more."));
  EXPECT_THAT(verdict_on(advice), Not(HasSubstr("Set this")));
}

TEST(AdviceVerdict, SaysWhyNothingIsAdvised) {
  Advice advice = better_advice();
  advice.search.outcome = AdviceOutcome::recorded_is_as_good;
  EXPECT_THAT(verdict_on(advice), HasSubstr("are as good as any"));
  advice.search.ranking[1].smallest_memory_bytes.reset();
  EXPECT_THAT(verdict_on(advice), Not(HasSubstr("are as good as any"))) << "they do not run at all";
  advice.search.outcome = AdviceOutcome::nothing_else;
  EXPECT_THAT(verdict_on(advice), HasSubstr("Nothing is advised"));
  advice.search.outcome = AdviceOutcome::recorded_fits;
  EXPECT_THAT(verdict_on(advice), HasSubstr("all of it runs within what there is without a retry."));
  advice.memory_limit_bytes = 200_MiB;
  advice.search.ranking[1].at_limit = within_limit(0, 2);
  EXPECT_THAT(verdict_on(advice), HasSubstr("runs within 200.00 MiB, and no others do with fewer retries."));
}

TEST(AdviceVerdict, WarnsOfAPairThatIsShownOnly) {
  Advice advice = better_advice();
  const std::string pair = "expandable_segments:True,max_split_size_mb:64";
  advice.search.ranking.push_back(ranked(pair, 100_MiB, 100_MiB));
  EXPECT_THAT(verdict_on(advice), Not(HasSubstr("never advised")));
  advice.search.ranking.back().is_reference = true;
  EXPECT_THAT(verdict_on(advice), HasSubstr(pair + " is never advised"));
}

TEST(AdviceOfSeveralPrograms, HasARowForEachAndNamesTheOneThatNeedsMost) {
  AdviceReport report;
  const replay::StackTable stacks;
  for (const auto& [file, smallest] : {std::pair("first", 100_MiB), {"second", 300_MiB}, {"third", 200_MiB}}) {
    Advice advice = better_advice();
    advice.device = report.advices.size() + 4;
    advice.search.ranking[0].smallest_memory_bytes = smallest;
    report.advices.push_back(advice);
    report.subjects.push_back({file, &stacks});
  }
  report.advices[1].memory_limit_bytes = 250_MiB;
  report.advices[1].search.ranking[0].at_limit = within_limit(1);
  report.advices[2].memory_limit_bytes = 250_MiB;
  report.advices[2].search.ranking[0].at_limit = within_limit(0);
  const std::string text = squeezed(programs_text(report));
  EXPECT_THAT(text, StartsWith("3 programs, which are to run under one setting"));
  EXPECT_THAT(text, HasSubstr("first 4 170.00 MiB 100.00 MiB 3 110.00 MiB no limit\n"));
  EXPECT_THAT(text, HasSubstr("second 5 170.00 MiB 300.00 MiB 3 110.00 MiB NOT within 250.00 MiB\n"));
  EXPECT_THAT(text, HasSubstr("third 6 170.00 MiB 200.00 MiB 3 110.00 MiB within 250.00 MiB\n"));
  EXPECT_THAT(text, HasSubstr("second, device 5 needs most."));
  EXPECT_THAT(text, HasSubstr("They do not all fit"));
  const auto document = nlohmann::json::parse(advice_document(report));
  EXPECT_EQ(document["needs_most"]["file"], "second");
  EXPECT_EQ(document["needs_most"]["device"], 5);
  EXPECT_EQ(document["exit_code"], 1);
  EXPECT_TRUE(document["file"].is_null()) << "there are several";
  ASSERT_EQ(document["devices"].size(), 3U);
  EXPECT_EQ(document["devices"][1]["memory_limit_source"], "option");
  EXPECT_TRUE(document["devices"][0]["memory_limit_source"].is_null());
  EXPECT_EQ(document["devices"][2]["fits"], true);
  EXPECT_EQ(document["devices"][1]["fits"], false);
}

TEST(AdviceDocument, HasEveryFigureUnderItsName) {
  AdviceReport report;
  const replay::StackTable stacks;
  Advice advice = better_advice();
  RankedSettings& best = advice.search.ranking[0];
  best.unlimited.peak_allocated_bytes = 71_MiB;
  best.unlimited.retries = 5;
  best.unlimited.problem = "stuck";
  best.paces_not_tried = 9;
  advice.search.play_count = 33;
  advice.search.other_paces = 8;
  advice.search.tried = {
      {.settings = "x", .outcome = replay::TriedSettings::Outcome::same_as, .same_as = "y", .bound_bytes = 7},
      {.settings = "z", .outcome = replay::TriedSettings::Outcome::reserves_more, .bound_bytes = 8},
      {.settings = "w", .outcome = replay::TriedSettings::Outcome::surpassed, .bound_bytes = 9}};
  report.advices = {advice};
  report.subjects = {{"file", &stacks}};
  const auto device = nlohmann::json::parse(advice_document(report))["devices"][0];
  const auto row = device["ranking"][0];
  EXPECT_EQ(row["settings"], "a:1");
  EXPECT_EQ(row["smallest_memory_bytes"], 120_MiB);
  EXPECT_EQ(row["other_paces_not_tried"], 9);
  EXPECT_EQ(row["without_limit"]["peak_reserved_bytes"], 110_MiB);
  EXPECT_EQ(row["without_limit"]["allocated_at_peak_bytes"], 110_MiB / 4);
  EXPECT_EQ(row["without_limit"]["unused_at_peak_bytes"], 110_MiB - 110_MiB / 4);
  EXPECT_EQ(row["without_limit"]["peak_allocated_bytes"], 71_MiB);
  EXPECT_EQ(row["without_limit"]["device_allocation_count"], 12);
  EXPECT_EQ(row["without_limit"]["retry_count"], 5);
  EXPECT_EQ(row["without_limit"]["problem"], "stuck");
  EXPECT_EQ(row["at_smallest_memory"]["retry_count"], 3);
  EXPECT_TRUE(row["at_memory_limit"].is_null());
  EXPECT_EQ(device["tried"][0]["same_as"], "y");
  EXPECT_TRUE(device["tried"][0]["tried_within_bytes"].is_null());
  EXPECT_EQ(device["tried"][1]["outcome"], "reserves_more");
  EXPECT_EQ(device["tried"][1]["tried_within_bytes"], 8);
  EXPECT_EQ(device["tried"][2]["outcome"], "surpassed");
  EXPECT_EQ(device["play_count"], 33);
  EXPECT_EQ(device["other_pace_count"], 8);
  EXPECT_EQ(device["least_bytes"], 60_MiB);
  EXPECT_EQ(device["outcome"], "advised");
}

/// What was allocated at the most, and the recording's event at which it was.
TEST(AdviceDocument, NamesTheEventOfThePeak) {
  const replay::StackTable stacks;
  const auto live = [&stacks](std::uint64_t bytes, std::uint32_t event) {
    AdviceReport report;
    Advice advice = better_advice();
    advice.live.bytes = bytes;
    advice.live.step = 1;
    advice.recorded_events = {7, event, 9};
    report.advices = {advice};
    report.subjects = {{"file", &stacks}};
    return nlohmann::json::parse(advice_document(report))["devices"][0]["live_at_peak"];
  };
  EXPECT_EQ(live(512, 8)["recorded_event"], 8);
  EXPECT_EQ(live(512, 8)["allocated_bytes"], 512);
  EXPECT_TRUE(live(512, replay::Conversion::no_event)["recorded_event"].is_null()) << "before the first";
  EXPECT_TRUE(live(0, 8)["recorded_event"].is_null()) << "nothing was ever allocated";
}

TEST(AdviceText, CountsWhatWasTriedAndSaysWhatWasNot) {
  AdviceReport report;
  const replay::StackTable stacks;
  Advice advice = better_advice();
  using enum replay::TriedSettings::Outcome;
  for (const auto outcome : {replay::TriedSettings::Outcome::ranked, surpassed, same_as, same_as, same_as, not_better,
                             not_better, reserves_more}) {
    advice.search.tried.push_back({.settings = "s", .outcome = outcome});
  }
  advice.search.play_count = 44;
  advice.search.other_paces = 6;
  advice.search.ranking[0].paces_not_tried = 2;
  advice.search.ranking[1].paces_not_tried = 5;
  report.advices = {advice};
  report.subjects = {{"file.pickle", &stacks}};
  const std::string text = squeezed(advice_text(report));
  EXPECT_THAT(text, StartsWith("file.pickle, device 0\n"));
  EXPECT_THAT(text, HasSubstr("Of 8 settings tried, 3 cannot differ from others on this recording, 3 do not save a "
                              "hundredth of what simpler ones need, and 1 reserve over a tenth more than the recorded "
                              "ones; 44 plays."));
  EXPECT_THAT(text, HasSubstr("it runs at 6 other paces, too. But not all was tried"));
  EXPECT_THAT(text, HasSubstr("(2 of them with a:1, 5 of them with (defaults))"));
  EXPECT_THAT(text, HasSubstr("a:1 120.00 MiB 3 110.00 MiB 75.0% 12\n"));
  EXPECT_THAT(text, HasSubstr("(defaults), as recorded 170.00 MiB 3 160.00 MiB 75.0% 12\n"));
  EXPECT_THAT(text, HasSubstr("memory as much as needed"));
}

TEST(AdviceText, SaysForEachSettingHowItRunsWithinTheLimit) {
  AdviceReport report;
  const replay::StackTable stacks;
  Advice advice = better_advice();
  advice.memory_limit_bytes = 150_MiB;
  advice.search.ranking.push_back(ranked("b:1", std::nullopt, 500_MiB));
  advice.search.ranking[0].at_limit = within_limit(0);
  advice.search.ranking[1].at_limit = within_limit(0, 1);
  advice.search.ranking[2].at_limit = within_limit(2);
  advice.recorded.initial_bytes = 3_MiB;
  advice.recorded.initial_reserved_bytes = 4_MiB;
  report.advices = {advice};
  report.subjects = {{"file", &stacks}};
  const std::string text = squeezed(advice_text(report));
  EXPECT_THAT(text, HasSubstr("memory 150.00 MiB, by --memory-limit\n"));
  EXPECT_THAT(text, HasSubstr("within 150.00 MiB\n"));
  EXPECT_THAT(text, HasSubstr("75.0% 12 runs\n"));
  EXPECT_THAT(text, HasSubstr("75.0% 12 runs, 1 retry\n"));
  EXPECT_THAT(text, HasSubstr("b:1 more than any card - 500.00 MiB 75.0% 12 OUT OF MEMORY, 2 times\n"));
  EXPECT_THAT(text, HasSubstr("when 4.00 MiB were reserved and 3.00 MiB of it allocated"));
}

TEST(LineToPaste, NamesWhatItLeavesOut) {
  Advice advice = better_advice();
  advice.carried_over.unplayed = "newer:1";
  advice.carried_over.forbidden = {"key:2"};
  for (int i = 0; i < 12; ++i) advice.carried_over.not_common.push_back("k" + std::to_string(i) + ":3");
  advice.carried_over.not_clean = {"bad key:4"};
  const std::string text = to_paste_text({}, advice, *advice.advised());
  EXPECT_THAT(text, HasSubstr("    export PYTORCH_CUDA_ALLOC_CONF='a:1,newer:1'\n"));
  EXPECT_THAT(text, HasSubstr("forbids it: key)\n"));
  EXPECT_THAT(text, HasSubstr("ran with it: k9)\n"));
  EXPECT_THAT(text, Not(HasSubstr("k10")));
  EXPECT_THAT(text, HasSubstr("ran with it: 2 more)\n"));
  EXPECT_THAT(text, HasSubstr("paste into a shell: a key with other characters than letters)\n"));
  advice.carried_over.not_common.resize(10);
  EXPECT_THAT(to_paste_text({}, advice, *advice.advised()), AllOf(HasSubstr("k9"), Not(HasSubstr(" more)"))));
}

}  // namespace
}  // namespace gpucheck::application
