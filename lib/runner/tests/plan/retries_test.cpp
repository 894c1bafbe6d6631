#include <algorithm>
#include <gtest/gtest.h>

#include "runner/tests/test_run.hpp"

/// What is tried or measured again, and what comes of it.
namespace gpucheck::runner::testing {
namespace {

using harness::CaseResult;
using harness::Outcome;

TEST(Retries, APassOnRetryIsFlaky) {
  TestRun run;
  run.options.retries = 2;
  run.run({"flaky.second_time", "plain.fail"});
  const CaseResult& flaky = run.result("flaky.second_time");
  EXPECT_EQ(flaky.outcome, Outcome::pass);
  EXPECT_TRUE(flaky.flaky);
  ASSERT_EQ(flaky.earlier_attempts.size(), 1U);
  EXPECT_EQ(flaky.earlier_attempts[0].outcome, Outcome::error);
  EXPECT_EQ(run.summary.counts.flaky, 1);
  const CaseResult& failed = run.result("plain.fail");
  EXPECT_EQ(failed.outcome, Outcome::fail);
  EXPECT_FALSE(failed.flaky);
  EXPECT_EQ(failed.earlier_attempts.size(), 2U);
  EXPECT_EQ(std::ranges::count(run.sink.lines, "case plain.fail"), 1);
}

TEST(Retries, ASpeedThatIsTooLowIsMeasuredAgain) {
  TestRun run;
  run.run({"speed.slow_at_first", "speed.slow", "speed.slow_and_wrong"});
  EXPECT_EQ(run.result("speed.slow_at_first").outcome, Outcome::pass);
  EXPECT_TRUE(run.result("speed.slow_at_first").flaky);
  EXPECT_EQ(run.result("speed.slow").outcome, Outcome::fail);
  EXPECT_EQ(run.result("speed.slow").earlier_attempts.size(), 2U);
  EXPECT_TRUE(run.result("speed.slow_and_wrong").earlier_attempts.empty()) << "what is wrong is not given a chance";
}

TEST(Retries, ASpeedIsMeasuredOnceUnderAFault) {
  TestRun run;
  auto plan = run.plan({"speed.slow"});
  plan.cases[0].settings.fault = "no_record";
  run.run_plan(plan);
  EXPECT_EQ(run.result("speed.slow").outcome, Outcome::fail);
  EXPECT_TRUE(run.result("speed.slow").earlier_attempts.empty());
}

TEST(Retries, ASpeedIsMeasuredOnceWhereThatIsAsked) {
  TestRun run;
  run.options.remeasure = 0;
  run.run({"speed.slow_at_first"});
  EXPECT_EQ(run.result("speed.slow_at_first").outcome, Outcome::fail);
}

TEST(Retries, AreMadeOnRequest) {
  TestRun run;
  run.run({"flaky.second_time"});
  EXPECT_EQ(run.result("flaky.second_time").outcome, Outcome::error);
}

TEST(Retries, ASkipIsNotTriedAgainAndTakesNoFailureBack) {
  TestRun run;
  run.options.retries = 3;
  run.run({"plain.skip", "flaky.skip_second"});
  EXPECT_TRUE(run.result("plain.skip").earlier_attempts.empty());
  EXPECT_EQ(run.folder.marks("skip_second"), 2U);
  EXPECT_EQ(run.result("flaky.skip_second").outcome, Outcome::fail);
  EXPECT_TRUE(run.result("flaky.skip_second").earlier_attempts.empty()) << "it is not an attempt before itself";
}

TEST(Retries, CrashesAndHangsAreTriedAgainToo) {
  TestRun run;
  run.options.retries = 1;
  run.run({"crash.exit7", "hang.deaf"});
  EXPECT_EQ(run.result("crash.exit7").earlier_attempts.size(), 1U);
  EXPECT_EQ(run.folder.marks("hanging"), 2U);
}

TEST(Retries, ThatCannotBeJudgedTakeNoFailureBack) {
  TestRun run;
  run.run({"speed.slow_then_broken"});
  const CaseResult& result = run.result("speed.slow_then_broken");
  EXPECT_EQ(result.outcome, Outcome::fail);
  EXPECT_EQ(result.reason, "gbps: expected 5 to 100, seen 1 (tried again: error: what a pity)");
  EXPECT_TRUE(result.earlier_attempts.empty()) << "it is not an attempt before itself";
  EXPECT_EQ(run.summary.exit_code, harness::ExitCode::failed);
}

}  // namespace
}  // namespace gpucheck::runner::testing
