#include "replay/advice/search/choice.hpp"

#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace gpucheck::replay {
namespace {

/// Settings of one program.
RankedSettings ranked(std::string settings, int keys, std::uint64_t peak, std::optional<std::uint64_t> smallest,
                      std::int64_t retries = 0) {
  RankedSettings one;
  one.settings = std::move(settings);
  one.keys = keys;
  one.unlimited.peak_reserved_bytes = peak;
  one.smallest_memory_bytes = smallest;
  one.at_smallest.retries = retries;
  return one;
}

/// What a play within a limit gives.
PlayFigures within_limit(std::int64_t retries, std::uint64_t failures = 0) {
  PlayFigures figures;
  figures.retries = retries;
  figures.out_of_memory_count = failures;
  return figures;
}

RankedSettings limited(std::string settings, int keys, std::uint64_t peak, std::optional<std::uint64_t> smallest,
                       const PlayFigures& at_limit) {
  RankedSettings one = ranked(std::move(settings), keys, peak, smallest);
  one.at_limit = at_limit;
  return one;
}

TEST(Row, NeedsWhatItsGreediestProgramNeeds) {
  EXPECT_EQ(smallest_of({ranked("a", 1, 70, 100), ranked("a", 1, 90, 300), ranked("a", 1, 80, 200)}), 300U);
  EXPECT_EQ(peak_of({ranked("a", 1, 70, 100), ranked("a", 1, 90, 300), ranked("a", 1, 80, 200)}), 90U);
  EXPECT_EQ(smallest_of({ranked("a", 1, 70, 100), ranked("a", 1, 90, std::nullopt)}), std::nullopt);
  EXPECT_EQ(smallest_of({ranked("a", 1, 70, std::nullopt), ranked("a", 1, 90, 100)}), std::nullopt);
}

TEST(Row, FitsWhereEachProgramRunsToItsEndInItsLimit) {
  PlayFigures unplayable;
  unplayable.problem = "no device can do this";
  const RankedSettings unlimited = ranked("a", 1, 1, 1);
  const RankedSettings good = limited("a", 1, 1, 1, within_limit(2));
  EXPECT_TRUE(fits({unlimited, good}));
  EXPECT_FALSE(fits({good, limited("a", 1, 1, 1, within_limit(0, 1))}));
  EXPECT_FALSE(fits({limited("a", 1, 1, 1, within_limit(0, 1)), good}));
  EXPECT_FALSE(fits({good, limited("a", 1, 1, 1, unplayable)}));
}

TEST(Row, CountsTheRetriesOfAllProgramsThatHaveALimit) {
  EXPECT_EQ(retries_at_limit({limited("a", 1, 1, 1, within_limit(2)), ranked("a", 1, 1, 1, 50),
                              limited("a", 1, 1, 1, within_limit(3))}),
            5);
}

TEST(ReservesMore, IsBeyondThePercentageOfTheMeasure) {
  const Row measure{ranked("m", 0, 1000, 1), ranked("m", 0, 2000, 1)};
  const auto row = [](std::uint64_t first, std::uint64_t second) {
    return Row{ranked("r", 1, first, 1), ranked("r", 1, second, 1)};
  };
  EXPECT_FALSE(reserves_more(row(1100, 2200), measure, 110));
  EXPECT_TRUE(reserves_more(row(1101, 2200), measure, 110));
  EXPECT_TRUE(reserves_more(row(1100, 2201), measure, 110));
  EXPECT_FALSE(reserves_more(row(1000, 2000), measure, 100));
  EXPECT_TRUE(reserves_more(row(1001, 2000), measure, 100));
}

TEST(ReservesMore, ForgivesAProgramWhoseMemoryIsShortInTheMeasure) {
  const Row row{ranked("r", 1, 1001, 1)};
  EXPECT_TRUE(reserves_more(row, {limited("m", 0, 1000, 1, within_limit(0))}, 100));
  EXPECT_FALSE(reserves_more(row, {limited("m", 0, 1000, 1, within_limit(1))}, 100));
  EXPECT_FALSE(reserves_more(row, {limited("m", 0, 1000, 1, within_limit(0, 1))}, 100));
}

/// What there is to choose from, and the name of what is advised; empty for no advice.
struct Question {
  std::string name;
  std::vector<Row> rows;
  std::string advised;
  AdviceOutcome outcome = AdviceOutcome::advised;
  std::optional<Row> recorded = std::nullopt;
  bool recorded_may_stay = true;
  bool has_limit = false;
};
void PrintTo(const Question& question, std::ostream* out) { *out << question.name; }

class Choosing : public testing::TestWithParam<Question> {};

TEST_P(Choosing, TakesTheBest) {
  const Question& question = GetParam();
  const auto may_be_advised = [](const Row& row) { return row.front().settings != "forbidden"; };
  const Choice choice = choose({.rows = question.rows,
                                .may_be_advised = may_be_advised,
                                .recorded = question.recorded ? &*question.recorded : nullptr,
                                .recorded_may_stay = question.recorded_may_stay,
                                .has_limit = question.has_limit});
  EXPECT_EQ(choice.row == nullptr ? "" : choice.row->front().settings, question.advised);
  EXPECT_EQ(choice.outcome, question.outcome);
}

RankedSettings at_one_pace(RankedSettings one) {
  one.paces_not_tried = 1;
  return one;
}

constexpr AdviceOutcome as_good = AdviceOutcome::recorded_is_as_good;
constexpr AdviceOutcome nothing_else = AdviceOutcome::nothing_else;

INSTANTIATE_TEST_SUITE_P(
    WithoutALimit, Choosing,
    testing::Values(
        Question{"nothing", {}, "", nothing_else},
        Question{"three_percent_more_memory_is_as_good",
                 {{ranked("a", 1, 5000, 10'000)}, {ranked("b", 1, 4000, 10'300)}},
                 "b"},
        Question{
            "more_than_three_percent_is_not", {{ranked("a", 1, 5000, 10'000)}, {ranked("b", 1, 4000, 10'301)}}, "a"},
        Question{
            "no_retry_before_a_lower_peak", {{ranked("a", 1, 1000, 10'000, 1)}, {ranked("b", 1, 5000, 10'000)}}, "b"},
        Question{"the_lower_peak_where_all_retry",
                 {{ranked("a", 1, 5000, 10'000, 1)}, {ranked("b", 1, 1000, 10'000, 2)}},
                 "b"},
        Question{"retries_of_any_program_count",
                 {{ranked("a", 1, 1000, 10'000), ranked("a", 1, 1000, 10'000, 1)},
                  {ranked("b", 1, 5000, 10'000), ranked("b", 1, 5000, 10'000)}},
                 "b"},
        Question{
            "one_percent_more_peak_is_as_good", {{ranked("a", 3, 1000, 10'000)}, {ranked("b", 2, 1010, 10'000)}}, "b"},
        Question{"more_than_one_percent_is_not", {{ranked("a", 3, 1000, 10'000)}, {ranked("b", 2, 1011, 10'000)}}, "a"},
        Question{"less_memory_where_keys_are_as_many",
                 {{ranked("a", 1, 1000, 10'200)}, {ranked("b", 1, 1010, 10'000)}},
                 "b"},
        Question{"the_first_of_equals", {{ranked("a", 1, 1000, 10'000)}, {ranked("b", 1, 1000, 10'000)}}, "a"},
        Question{"not_what_no_device_has_memory_for",
                 {{ranked("a", 1, 1000, std::nullopt)}, {ranked("b", 2, 2000, 10'000)}},
                 "b"},
        Question{"not_what_was_tried_at_one_pace_only",
                 {{ranked("a", 1, 1000, 10'000), at_one_pace(ranked("a", 1, 1000, 10'000))},
                  {ranked("b", 2, 2000, 10'000), ranked("b", 2, 2000, 10'000)}},
                 "b"},
        Question{"not_what_may_not_be_advised", {{ranked("forbidden", 0, 1, 1)}, {ranked("b", 2, 2000, 10'000)}}, "b"},
        Question{
            "a_limit_that_nobody_asked_for_says_nothing",
            {{limited("a", 1, 1000, 10'000, within_limit(0, 1))}, {limited("b", 1, 2000, 10'000, within_limit(0))}},
            "a"}));

INSTANTIATE_TEST_SUITE_P(
    BesideTheRecorded, Choosing,
    testing::Values(
        Question{"a_hundredth_less_memory",
                 {{ranked("a", 1, 900, 9'900)}},
                 "a",
                 AdviceOutcome::advised,
                 Row{ranked("r", 1, 1000, 10'000)}},
        Question{"not_quite_a_hundredth_less",
                 {{ranked("a", 1, 900, 9'901)}},
                 "",
                 as_good,
                 Row{ranked("r", 1, 1000, 10'000)}},
        Question{"more_than_a_tenth_less_reserved",
                 {{ranked("a", 1, 899, 9'901)}},
                 "a",
                 AdviceOutcome::advised,
                 Row{ranked("r", 1, 1000, 10'000)}},
        Question{"as_much_memory_and_a_tenth_less_reserved",
                 {{ranked("a", 1, 899, 10'000)}},
                 "a",
                 AdviceOutcome::advised,
                 Row{ranked("r", 1, 1000, 10'000)}},
        Question{"a_tenth_less_reserved_for_more_memory",
                 {{ranked("a", 1, 899, 10'001)}},
                 "",
                 as_good,
                 Row{ranked("r", 1, 1000, 10'000)}},
        Question{"a_tenth_less_reserved_with_as_many_retries",
                 {{ranked("a", 1, 899, 10'000, 1)}},
                 "a",
                 AdviceOutcome::advised,
                 Row{ranked("r", 1, 1000, 10'000, 1)}},
        Question{"a_tenth_less_reserved_with_more_retries",
                 {{ranked("a", 1, 899, 10'000, 2)}},
                 "",
                 as_good,
                 Row{ranked("r", 1, 1000, 10'000, 1)}},
        Question{"fewer_keys_are_no_reason", {{ranked("a", 1, 50, 50)}}, "", as_good, Row{ranked("r", 2, 50, 50)}},
        Question{"equals_stay", {{ranked("a", 1, 50, 50)}}, "", as_good, Row{ranked("r", 1, 50, 50)}},
        Question{"the_recorded_is_best", {{ranked("a", 1, 50, 5'000)}}, "", as_good, Row{ranked("r", 1, 50, 50)}},
        Question{"anything_where_no_device_has_memory_for_the_recorded",
                 {{ranked("a", 1, 5000, 90'000)}},
                 "a",
                 AdviceOutcome::advised,
                 Row{ranked("r", 1, 1000, std::nullopt)}},
        Question{"nothing_but_the_recorded_tried_at_one_pace",
                 {},
                 "",
                 as_good,
                 Row{at_one_pace(ranked("r", 1, 1000, 10'000))}},
        Question{"the_worse_where_the_recorded_may_not_stay",
                 {{ranked("a", 2, 2000, 20'000)}},
                 "a",
                 AdviceOutcome::advised,
                 Row{ranked("r", 1, 1000, 10'000)},
                 false},
        Question{"never_the_recorded_that_may_not_stay",
                 {{ranked("r", 1, 1000, 10'000)}},
                 "",
                 nothing_else,
                 Row{ranked("r", 1, 1000, 10'000)},
                 false},
        Question{"what_differs_for_the_second_program_is_not_the_recorded",
                 {{ranked("r", 1, 1000, 10'000), ranked("s", 1, 1000, 10'000)}},
                 "r",
                 AdviceOutcome::advised,
                 Row{ranked("r", 1, 1000, 10'000), ranked("t", 1, 1000, 10'000)},
                 false}));

INSTANTIATE_TEST_SUITE_P(
    WithinALimit, Choosing,
    testing::Values(Question{"the_recorded_fits_without_a_retry",
                             {{limited("a", 0, 1, 1, within_limit(0))}},
                             "",
                             AdviceOutcome::recorded_fits,
                             Row{limited("r", 1, 1000, 10'000, within_limit(0))},
                             true,
                             true},
                    Question{"the_recorded_retries_as_often",
                             {{limited("a", 0, 1, 1, within_limit(2))}},
                             "",
                             AdviceOutcome::recorded_fits,
                             Row{limited("r", 1, 1000, 10'000, within_limit(2))},
                             true,
                             true},
                    Question{"the_recorded_retries_more_often",
                             {{limited("a", 3, 2000, 20'000, within_limit(1))}},
                             "a",
                             AdviceOutcome::advised,
                             Row{limited("r", 1, 1000, 10'000, within_limit(2))},
                             true,
                             true},
                    Question{"the_recorded_does_not_fit",
                             {{limited("a", 3, 2000, 20'000, within_limit(9))}},
                             "a",
                             AdviceOutcome::advised,
                             Row{limited("r", 1, 1000, 10'000, within_limit(0, 1))},
                             true,
                             true},
                    Question{"the_recorded_fits_and_may_not_stay",
                             {{limited("a", 3, 2000, 20'000, within_limit(9))}},
                             "a",
                             AdviceOutcome::advised,
                             Row{limited("r", 1, 1000, 10'000, within_limit(0))},
                             false,
                             true},
                    Question{"fewer_retries_before_fewer_keys",
                             {{limited("a", 1, 1, 1, within_limit(1))}, {limited("b", 2, 2, 2, within_limit(0))}},
                             "b",
                             AdviceOutcome::advised,
                             std::nullopt,
                             true,
                             true},
                    Question{"fewer_keys_before_a_lower_peak",
                             {{limited("a", 2, 1, 1, within_limit(1))}, {limited("b", 1, 2, 2, within_limit(1))}},
                             "b",
                             AdviceOutcome::advised,
                             std::nullopt,
                             true,
                             true},
                    Question{"a_lower_peak_before_less_memory",
                             {{limited("a", 1, 2, 1, within_limit(1))}, {limited("b", 1, 1, 2, within_limit(1))}},
                             "b",
                             AdviceOutcome::advised,
                             std::nullopt,
                             true,
                             true},
                    Question{"less_memory_at_last",
                             {{limited("a", 1, 1, std::nullopt, within_limit(1))},
                              {limited("b", 1, 1, 2, within_limit(1))},
                              {limited("c", 1, 1, 1, within_limit(1))}},
                             "c",
                             AdviceOutcome::advised,
                             std::nullopt,
                             true,
                             true},
                    Question{"what_needs_least_where_nothing_fits",
                             {{limited("a", 1, 1000, 20'000, within_limit(0, 1))},
                              {limited("b", 2, 1000, 10'000, within_limit(0, 2))}},
                             "b",
                             AdviceOutcome::advised,
                             std::nullopt,
                             true,
                             true},
                    Question{"the_recorded_where_nothing_fits_and_it_is_as_good",
                             {{limited("a", 1, 1000, 10'000, within_limit(0, 1))}},
                             "",
                             as_good,
                             Row{limited("r", 1, 1000, 10'000, within_limit(0, 1))},
                             true,
                             true}));

}  // namespace
}  // namespace gpucheck::replay
