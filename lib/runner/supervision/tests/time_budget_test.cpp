#include "runner/supervision/time_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/result/failure_kinds.hpp"

/// What there is time for before a run's deadline, and what is said of the rest.
namespace gpucheck::runner {
namespace {

using harness::CaseResult;
using harness::Outcome;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

RunDeadline deadline_of(milliseconds limit, RunDeadline::Clock::time_point start = {}) { return {start, limit}; }

struct DeadlineShare {
  int limit_ms;
  int cases_ms;     ///< until when cases may run
  int die_ms;       ///< how long a killed worker may take
  int identify_ms;  ///< how long the devices may take to say what they are
};

// A sixth is kept for the end, and no more than 3 s; two thirds of the rest are for the devices.
TEST(RunDeadlineShares, AreOfTheWholeLimit) {
  for (const DeadlineShare& share : {DeadlineShare{600, 500, 50, 333},
                                     {6000, 5000, 500, 3333},
                                     {17'994, 14'995, 1499, 9996},
                                     {18'000, 15'000, 1500, 10'000},
                                     {18'006, 15'006, 1500, 10'004},
                                     {60'000, 57'000, 1500, 38'000}}) {
    const RunDeadline::Clock::time_point start = RunDeadline::Clock::time_point() + milliseconds(5);
    const RunDeadline deadline = deadline_of(milliseconds(share.limit_ms), start);
    EXPECT_EQ(deadline.limit(), milliseconds(share.limit_ms));
    EXPECT_EQ(deadline.end(), start + milliseconds(share.limit_ms)) << share.limit_ms;
    EXPECT_EQ(deadline.end_of_cases(), start + milliseconds(share.cases_ms)) << share.limit_ms;
    EXPECT_EQ(deadline.time_to_die(), milliseconds(share.die_ms)) << share.limit_ms;
    EXPECT_EQ(deadline.time_to_identify(), milliseconds(share.identify_ms)) << share.limit_ms;
  }
}

class TimeBudgetTest : public ::testing::Test {
 protected:
  TimeBudgetTest() {
    test_case_.name = "a.b";
    planned_.test_case = &test_case_;
    options_.start_limit = milliseconds(8000);
  }

  /// A deadline by which cases may run for so long from now on.
  void leave(milliseconds time) {
    options_.deadline.emplace(RunDeadline::Clock::now() + time - milliseconds(57'000), milliseconds(60'000));
  }
  void measure(milliseconds on_simulator, milliseconds on_gpu) {
    options_.durations.set("a.b", {.on_simulator = on_simulator, .on_gpu = on_gpu});
  }
  [[nodiscard]] bool fits(milliseconds limit, bool on_simulator = true) const {
    return TimeBudget(options_).fits(planned_, on_simulator, limit);
  }

  harness::Case test_case_;
  PlannedCase planned_;
  Options options_;
};

TEST_F(TimeBudgetTest, WithoutADeadlineEverythingFits) {
  EXPECT_TRUE(fits(std::chrono::hours(1000)));
  EXPECT_EQ(TimeBudget(options_).identify_limit(), milliseconds(8000));
  EXPECT_EQ(TimeBudget(options_).start_limit(), milliseconds(8000));
}

TEST_F(TimeBudgetTest, ADeviceThatDoesNotAnswerDoesNotTakeAllTheTime) {
  options_.deadline = deadline_of(milliseconds(6000));
  EXPECT_EQ(TimeBudget(options_).identify_limit(), milliseconds(3333)) << "two thirds of 5 s";
  EXPECT_EQ(TimeBudget(options_).start_limit(), milliseconds(1666)) << "half of that";
  options_.deadline = deadline_of(milliseconds(18'000));
  EXPECT_EQ(TimeBudget(options_).identify_limit(), milliseconds(8000)) << "no more than the option says";
  EXPECT_EQ(TimeBudget(options_).start_limit(), milliseconds(5000));
  options_.deadline = deadline_of(milliseconds(60'000));
  EXPECT_EQ(TimeBudget(options_).start_limit(), milliseconds(8000));
}

TEST_F(TimeBudgetTest, WhatFitsEndsBeforeTheTimeForCasesDoes) {
  leave(milliseconds(20'000));
  EXPECT_TRUE(fits(milliseconds(15'000)));
  EXPECT_FALSE(fits(milliseconds(20'001)));
  measure(milliseconds(15'000), milliseconds(25'000));
  EXPECT_TRUE(fits(std::chrono::hours(1)));
  EXPECT_FALSE(fits(std::chrono::hours(1), false)) << "on a GPU it takes longer";
  measure(milliseconds(25'000), milliseconds(15'000));
  EXPECT_FALSE(fits(std::chrono::hours(1)));
  EXPECT_TRUE(fits(std::chrono::hours(1), false));
  planned_.settings.parameters = {{"size", std::int64_t{1}}};
  EXPECT_FALSE(fits(std::chrono::hours(1), false)) << "the time may depend on a parameter";
  EXPECT_TRUE(fits(milliseconds(15'000), false));
}

TEST_F(TimeBudgetTest, WhatDoesNotFitSaysHowLongItTakesAndWhatIsLeft) {
  leave(milliseconds(20'000));
  planned_.repetition = 3;
  const CaseResult unmeasured = TimeBudget(options_).left_out(planned_, true, milliseconds(30'000));
  EXPECT_EQ(unmeasured.outcome, Outcome::skip);
  EXPECT_EQ(unmeasured.repetition, 3);
  EXPECT_THAT(unmeasured.reason,
              MatchesRegex("not started: it may take 30000 ms, and of the run's deadline of 60000 ms "
                           "(20000|19[0-9][0-9][0-9]) ms are left for cases"));
  ASSERT_EQ(unmeasured.mismatches.size(), 1U);
  EXPECT_EQ(unmeasured.mismatches[0].key, "run_deadline");
  EXPECT_EQ(unmeasured.mismatches[0].seen, "a deadline of 60000 ms for the whole run");
  EXPECT_EQ(unmeasured.mismatches[0].basis, "rule");
  EXPECT_TRUE(harness::lacked_time(unmeasured));
  measure(milliseconds(25'000), milliseconds(26'000));
  EXPECT_THAT(TimeBudget(options_).left_out(planned_, true, milliseconds(30'000)).reason,
              HasSubstr("it takes about 25000 ms,"));
  EXPECT_THAT(TimeBudget(options_).left_out(planned_, false, milliseconds(30'000)).reason,
              HasSubstr("it takes about 26000 ms,"));
}

TEST_F(TimeBudgetTest, NoLessThanNothingIsLeft) {
  leave(milliseconds(-5000));
  EXPECT_THAT(TimeBudget(options_).left_out(planned_, true, milliseconds(1)).reason,
              HasSubstr(" 0 ms are left for cases"));
  EXPECT_FALSE(fits(milliseconds(0)));
}

TEST_F(TimeBudgetTest, LackOfTimeMayBeAllowed) {
  leave(milliseconds(20'000));
  options_.deadline_skips_ok = true;
  const CaseResult result = TimeBudget(options_).left_out(planned_, true, milliseconds(30'000));
  EXPECT_EQ(result.outcome, Outcome::skip);
  EXPECT_FALSE(harness::lacked_time(result));
}

TEST_F(TimeBudgetTest, WhatWasUnderWayIsAnErrorWithAllThatWasSeen) {
  leave(milliseconds(0));
  options_.deadline_skips_ok = true;  // of what was not started
  RequestEnd end;
  end.elapsed_ms = 812.4;
  end.observations = {{"answer", std::int64_t{42}}};
  end.output_tail = "out";
  end.error_tail = "err";
  const CaseResult killed = TimeBudget(options_).stopped(planned_, end);
  EXPECT_EQ(killed.outcome, Outcome::error);
  EXPECT_EQ(killed.reason, "stopped after 812 ms: the run's deadline of 60000 ms was near");
  EXPECT_EQ(killed.duration_ms, 812.4);
  EXPECT_EQ(killed.observations, end.observations);
  EXPECT_EQ(killed.output_tail, "out");
  EXPECT_EQ(killed.error_tail, "err");
  EXPECT_TRUE(harness::lacked_time(killed));
  end.abandoned = true;
  EXPECT_THAT(TimeBudget(options_).stopped(planned_, end).reason,
              HasSubstr("was near; the process could not be killed and was left behind: the driver holds it"));
}

TEST_F(TimeBudgetTest, SaysWhyNoDeviceIsKnown) {
  leave(milliseconds(0));
  EXPECT_EQ(
      TimeBudget(options_).no_answer_text(1499.6),
      "the driver did not say within 1500 ms which devices there are, of the 60000 ms that the run has: it hangs, "
      "or the deadline is too short");
}

}  // namespace
}  // namespace gpucheck::runner
