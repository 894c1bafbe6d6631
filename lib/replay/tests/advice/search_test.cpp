#include "replay/advice/search/search.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "advice_traces.hpp"
#include "base/error.hpp"
#include "replay/tests/simulated_devices.hpp"

namespace gpucheck::replay {
namespace {

using TriedOutcome = TriedSettings::Outcome;

SearchOptions options_with(std::vector<std::string> references, std::vector<Candidate> candidates) {
  return {.references = std::move(references), .candidates = std::move(candidates), .devices = simulated_devices()};
}

const Candidate expandable{"expandable_segments:True", 1};
const Candidate split{"max_split_size_mb:32", 1};

TEST(Search, FindsTheSmallestMemory) {
  const SearchResult result =
      search_settings(fragmenting_trace(), options_with({"", expandable.settings, split.settings}, {}));
  ASSERT_EQ(result.ranking.size(), 3U);
  EXPECT_EQ(result.least_bytes, 120_MiB);
  EXPECT_EQ(result.ranking[0].settings, expandable.settings) << "of equal ones the one with fewer device allocations";
  EXPECT_EQ(result.ranking[0].smallest_memory_bytes, 120_MiB);
  // Above 32 MiB nothing is cut: both blocks of 60 MiB can be released. Without need, one
  // of them is kept, and serves the 50 MiB.
  EXPECT_EQ(result.ranking[1].settings, split.settings);
  EXPECT_EQ(result.ranking[1].smallest_memory_bytes, 120_MiB);
  EXPECT_EQ(result.ranking[1].unlimited.peak_reserved_bytes, 190_MiB);
  EXPECT_EQ(result.ranking[2].settings, "");
  EXPECT_EQ(result.ranking[2].smallest_memory_bytes, 170_MiB);
  EXPECT_TRUE(result.ranking[2].at_smallest.runs_to_its_end());
}

TEST(Search, FindsMemoryBetweenWhatIsAllocatedAndWhatIsReserved) {
  // 60 MiB, then 70 MiB alone: the cache is released in between where there is no room for
  // both, once.
  TraceMaker maker;
  maker.free(maker.allocate(60_MiB));
  maker.allocate(70_MiB);
  const SearchResult result = search_settings(maker.trace(), options_with({""}, {}));
  const RankedSettings& row = result.ranking.at(0);
  EXPECT_EQ(row.unlimited.peak_reserved_bytes, 130_MiB);
  EXPECT_EQ(row.smallest_memory_bytes, 70_MiB);
  EXPECT_EQ(row.at_smallest.retries, 1);
}

TEST(Search, SmallestMemoryDoesHoweverSoonOtherStreamsAreDone) {
  // As recorded the 60 MiB are still in use when 40 are asked for, and whole when 60 are again. Had they come free
  // before, the 40 MiB would be cut from them, and the later 60 need a segment more.
  TraceMaker maker;
  const std::uint32_t used = maker.allocate(60_MiB);
  maker.free_later(used, 0);
  maker.allocate(40_MiB);
  maker.end_of_uses(0);
  maker.allocate(60_MiB);
  const RankedSettings row = search_settings(maker.trace(), options_with({""}, {})).ranking.at(0);
  EXPECT_EQ(row.unlimited.peak_reserved_bytes, 100_MiB);
  EXPECT_EQ(row.smallest_memory_bytes, 120_MiB);
  EXPECT_EQ(row.at_smallest.peak_reserved_bytes, 100_MiB) << "as recorded";
}

// As above, two hundred times as large: of 2,000 steps to more memory each fails at one of the first paces.
TEST(Search, LooksNotWithoutEndForWhatDoesAtAnyPace) {
  TraceMaker maker;
  const std::uint32_t used = maker.allocate(12000_MiB);
  maker.free_later(used, 0);
  maker.allocate(8000_MiB);
  maker.end_of_uses(0);
  maker.allocate(12000_MiB);
  const SearchResult result = search_settings(maker.trace(), options_with({""}, {}));
  const RankedSettings& row = result.ranking.at(0);
  EXPECT_EQ(result.other_paces, 64U);
  EXPECT_GT(row.paces_not_tried, 0U);
  EXPECT_GE(row.smallest_memory_bytes, 20000_MiB);
  EXPECT_LT(row.smallest_memory_bytes, 24000_MiB) << "with which it would run at any pace";
  EXPECT_TRUE(row.at_smallest.runs_to_its_end()) << "as recorded";
  EXPECT_LT(result.play_count, 6 * 65U + 50) << "six times all paces, and what else it takes";
}

TEST(Search, PlaysAtOtherPacesAreLimitedForAllSettingsTogether) {
  TraceMaker maker;
  const std::uint32_t used = maker.allocate(60_MiB);
  maker.free_later(used, 0);
  maker.end_of_uses(0);
  const DeviceSource devices = simulated_devices();
  const Measure measure(maker.trace(), devices, std::nullopt);
  RankedSettings row;
  measure.find_unlimited(row);
  EXPECT_EQ(measure.pace_plays_for_one(), 6 * 65U);
  for (int times = 0; times < 36; ++times) {
    measure.find_smallest(row, 60_MiB, UINT64_MAX, measure.pace_plays_for_one());
    EXPECT_EQ(row.paces_not_tried, 0U);
  }
  EXPECT_EQ(measure.pace_plays_for_one(), 0U);
  measure.find_smallest(row, 60_MiB, UINT64_MAX, measure.pace_plays_for_one());
  EXPECT_EQ(row.paces_not_tried, 64U);
  EXPECT_EQ(row.smallest_memory_bytes, 60_MiB) << "as recorded";
}

/// As above: a play that fails asks for 2 MiB more. Where it was the last there may be, nothing is known of those 2 MiB
/// yet, and the recorded pace is played once more.
TEST(Search, WhatTheLastPlayAskedForIsPlayedAsRecorded) {
  TraceMaker maker;
  const std::uint32_t used = maker.allocate(60_MiB);
  maker.free_later(used, 0);
  maker.allocate(40_MiB);
  maker.end_of_uses(0);
  maker.allocate(60_MiB);
  const DeviceSource devices = simulated_devices();
  std::uint64_t before = 100_MiB;
  int failed_last = 0;
  for (std::uint64_t plays = 1; plays <= 40; ++plays) {
    const Measure measure(maker.trace(), devices, std::nullopt);
    RankedSettings row;
    measure.find_unlimited(row);
    const std::uint64_t others = measure.play_count();
    measure.find_smallest(row, 100_MiB, UINT64_MAX, plays);
    const bool has_failed = row.smallest_memory_bytes != before;
    EXPECT_EQ(row.smallest_memory_bytes, before + (has_failed ? 2_MiB : 0)) << plays;
    EXPECT_EQ(measure.play_count() - others, 1 + plays + (has_failed ? 1 : 0)) << plays;
    EXPECT_TRUE(row.at_smallest.runs_to_its_end());
    before += has_failed ? 2_MiB : 0;
    failed_last += has_failed ? 1 : 0;
  }
  EXPECT_GT(failed_last, 0);
  EXPECT_LT(failed_last, 40);
  EXPECT_LE(before, 120_MiB);
}

TEST(Search, SettingsThatDoWithLessOnlyByChanceAreNotBetter) {
  // As above: with 118 MiB and less it runs as recorded, but not however its frees fall.
  TraceMaker maker;
  const std::uint32_t used = maker.allocate(60_MiB);
  maker.free_later(used, 0);
  maker.allocate(40_MiB);
  maker.end_of_uses(0);
  maker.allocate(60_MiB);
  const SearchResult result =
      search_settings(maker.trace(), options_with({""}, {{"garbage_collection_threshold:0.95", 1}}));
  EXPECT_EQ(result.ranking.size(), 1U) << "the defaults, in 120 MiB";
  EXPECT_EQ(result.tried.at(0).outcome, TriedOutcome::not_better);
  EXPECT_EQ(result.tried.at(0).bound_bytes, 118_MiB);
}

TEST(Search, SmallestMemoryIsAMultipleOfTwoMebibytes) {
  TraceMaker maker;
  maker.allocate(3_MiB);  // in a segment of 20 MiB
  maker.allocate(25_MiB + 1);
  EXPECT_EQ(search_settings(maker.trace(), options_with({""}, {})).ranking.at(0).smallest_memory_bytes, 46_MiB);
}

TEST(Search, AGrowingSegmentNeedsMoreThanItsPeak) {
  // 30 MiB in two pages of 20; of the next 25 MiB 10 are there, but all of them, as 26 MiB,
  // are held against the limit.
  TraceMaker maker;
  maker.allocate(30_MiB);
  maker.allocate(25_MiB);
  const SearchResult result = search_settings(maker.trace(), options_with({expandable.settings}, {}));
  EXPECT_EQ(result.ranking.at(0).unlimited.peak_reserved_bytes, 60_MiB);
  EXPECT_EQ(result.ranking.at(0).smallest_memory_bytes, 66_MiB);
}

TEST(Search, APageBeyondTheLimitDoesNotFit) {
  // 60 MiB fit; the page of 128 MiB that is mapped for them does not.
  TraceMaker maker;
  maker.allocate(60_MiB);
  SearchOptions options = options_with({"", "expandable_segments:True,large_segment_size_mb:128"}, {});
  options.memory_limit_bytes = 100_MiB;
  const SearchResult result = search_settings(maker.trace(), options);
  EXPECT_EQ(result.ranking.at(0).smallest_memory_bytes, 60_MiB);
  EXPECT_EQ(result.ranking.at(1).smallest_memory_bytes, 128_MiB);
  EXPECT_FALSE(result.ranking.at(1).at_limit->runs_to_its_end());
}

TEST(Search, RanksOnlyWhatSavesAHundredth) {
  const SearchResult result = search_settings(fragmenting_trace(), options_with({""}, {expandable, split}));
  ASSERT_EQ(result.ranking.size(), 3U);
  EXPECT_EQ(result.ranking[0].settings, expandable.settings);
  EXPECT_EQ(result.tried.at(0).outcome, TriedOutcome::ranked);
  const SearchResult other = search_settings(fragmenting_trace(), options_with({"", expandable.settings}, {split}));
  EXPECT_EQ(other.tried.at(0).outcome, TriedOutcome::not_better) << "as much memory as a reference";
  EXPECT_EQ(other.tried.at(0).bound_bytes, 118_MiB);
  EXPECT_EQ(other.ranking.size(), 2U);
}

TEST(Search, WhatSetsMoreHasToSaveMore) {
  const Candidate both{"max_split_size_mb:32,garbage_collection_threshold:0.9", 2};
  const SearchResult result = search_settings(fragmenting_trace(), options_with({""}, {split, both}));
  EXPECT_EQ(result.tried.at(0).outcome, TriedOutcome::ranked);
  EXPECT_EQ(result.tried.at(1).outcome, TriedOutcome::not_better);
  const SearchResult alone = search_settings(fragmenting_trace(), options_with({""}, {both}));
  EXPECT_EQ(alone.tried.at(0).outcome, TriedOutcome::ranked);
}

TEST(Search, DoesNotPlayWhatCannotDiffer) {
  const SearchOptions options = options_with({""}, {{"max_split_size_mb:512", 1}, {"max_split_size_mb:1024", 1}});
  const SearchResult result = search_settings(fragmenting_trace(), options);
  for (const TriedSettings& tried : result.tried) {
    EXPECT_EQ(tried.outcome, TriedOutcome::same_as);
    EXPECT_EQ(tried.same_as, "");
  }
  EXPECT_EQ(result.play_count, search_settings(fragmenting_trace(), options_with({""}, {})).play_count);
}

TEST(Search, KeepsTheBestFew) {
  SearchOptions options = options_with({""}, {split, expandable});
  options.most_ranked = 1;
  const SearchResult result = search_settings(fragmenting_trace(), options);
  ASSERT_EQ(result.ranking.size(), 2U);
  EXPECT_EQ(result.ranking[0].settings, expandable.settings);
  EXPECT_EQ(result.tried.at(0).outcome, TriedOutcome::surpassed);
}

TEST(Search, ASmallSavingCountsWhereItMakesTheProgramFit) {
  TraceMaker maker;
  for (int i = 0; i < 400; ++i) maker.allocate(30_MiB);
  add_fragmenting(maker);  // of 12,170 MiB, 50 can be saved
  SearchOptions options = options_with({""}, {split});
  EXPECT_EQ(search_settings(maker.trace(), options).tried.at(0).outcome, TriedOutcome::not_better);
  options.memory_limit_bytes = 12'150_MiB;
  const SearchResult result = search_settings(maker.trace(), options);
  EXPECT_EQ(result.tried.at(0).outcome, TriedOutcome::ranked);
  EXPECT_EQ(result.tried.at(0).bound_bytes, 12'150_MiB);
  EXPECT_EQ(result.ranking.at(0).smallest_memory_bytes, 12'120_MiB);
  EXPECT_TRUE(result.ranking.at(0).at_limit->runs_to_its_end());
  EXPECT_FALSE(result.ranking.at(1).at_limit->runs_to_its_end());
  options.memory_limit_bytes = 12'170_MiB;
  EXPECT_EQ(search_settings(maker.trace(), options).tried.at(0).outcome, TriedOutcome::not_better) << "it fits already";
}

TEST(Search, DoesNotDependOnTheNumberOfThreads) {
  const auto ranking_with = [](unsigned threads) {
    SearchOptions options = options_with({""}, search_space());
    options.threads = threads;
    std::vector<std::pair<std::string, std::uint64_t>> rows;
    const SearchResult result = search_settings(fragmenting_trace(), options);
    for (const RankedSettings& row : result.ranking) rows.emplace_back(row.settings, row.smallest_memory_bytes.value());
    for (const TriedSettings& tried : result.tried) rows.emplace_back(tried.same_as, tried.bound_bytes);
    rows.emplace_back("plays", result.play_count);
    return rows;
  };
  EXPECT_EQ(ranking_with(1), ranking_with(5));
}

TEST(Search, TellsHowFarItIs) {
  SearchOptions options = options_with({""}, {expandable, {"max_split_size_mb:512", 1}});
  std::vector<std::pair<std::size_t, std::size_t>> told;
  options.on_progress = [&told](std::size_t done, std::size_t total) { told.emplace_back(done, total); };
  static_cast<void>(search_settings(fragmenting_trace(), options));
  EXPECT_EQ(told, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 3}, {2, 3}, {3, 3}}));
}

TEST(Search, MoreThanAnyDeviceHasNoSmallestMemory) {
  TraceMaker maker;
  maker.try_allocate(std::uint64_t{1} << 50);
  const SearchResult result = search_settings(maker.trace(), options_with({""}, {expandable}));
  EXPECT_FALSE(result.ranking.at(0).smallest_memory_bytes);
  EXPECT_EQ(result.ranking.size(), 1U);
}

TEST(Search, AProgramThatAllocatesNothingNeedsNothing) {
  TraceMaker maker;
  maker.free(maker.allocate(0));
  EXPECT_EQ(search_settings(maker.trace(), options_with({""}, {expandable})).ranking.at(0).smallest_memory_bytes, 0U);
}

TEST(Search, AFailureInAThreadIsTold) {
  SearchOptions options = options_with({""}, {expandable, split});
  options.threads = 3;
  options.devices.open = [](std::optional<std::uint64_t>) -> PlayedDevice { throw EnvironmentError("no device"); };
  EXPECT_THROW(static_cast<void>(search_settings(fragmenting_trace(), options)), EnvironmentError);
}

TEST(LeastBytes, CountsBlocksOf512Bytes) {
  TraceMaker maker;
  const std::uint32_t first = maker.allocate(1);
  maker.free(first);
  maker.allocate(513);
  maker.try_allocate(2048);
  maker.allocate(1);
  EXPECT_EQ(least_bytes(maker.trace()), 1024U + 2048U);
}

}  // namespace
}  // namespace gpucheck::replay
