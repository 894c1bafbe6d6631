#include "harness/result.hpp"

#include <gtest/gtest.h>

#include "harness/exit_codes.hpp"

namespace gpucheck::harness {
namespace {

TEST(OutcomeText, IsTheWordOfTheResultSchema) {
  EXPECT_EQ(to_text(Outcome::pass), "pass");
  EXPECT_EQ(to_text(Outcome::fail), "fail");
  EXPECT_EQ(to_text(Outcome::error), "error");
  EXPECT_EQ(to_text(Outcome::crash), "crash");
  EXPECT_EQ(to_text(Outcome::hang), "hang");
  EXPECT_EQ(to_text(Outcome::skip), "skip");
}

TEST(Counts, CountEachOutcomeOnce) {
  Counts counts;
  for (const Outcome outcome :
       {Outcome::pass, Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang, Outcome::skip}) {
    CaseResult result;
    result.outcome = outcome;
    counts.add(result);
  }
  EXPECT_EQ(counts.pass, 1);
  EXPECT_EQ(counts.fail, 1);
  EXPECT_EQ(counts.error, 1);
  EXPECT_EQ(counts.crash, 1);
  EXPECT_EQ(counts.hang, 1);
  EXPECT_EQ(counts.skip, 1);
  EXPECT_EQ(counts.total(), 6);
  EXPECT_EQ(counts.flaky, 0);
}

TEST(Counts, CountFlakyAmongThosePassed) {
  CaseResult result;
  result.outcome = Outcome::pass;
  result.flaky = true;
  Counts counts;
  counts.add(result);
  EXPECT_EQ(counts.pass, 1);
  EXPECT_EQ(counts.flaky, 1);
}

constexpr int any_number = -1;

TEST(ExitCodes, PassOnlyOnEvidence) {
  EXPECT_EQ(exit_code(Counts{.pass = 1}, any_number), ExitCode::passed);
  EXPECT_EQ(exit_code(Counts{.pass = 1, .skip = 5}, any_number), ExitCode::passed);
  EXPECT_EQ(exit_code(Counts{}, any_number), ExitCode::not_judged);
  EXPECT_EQ(exit_code(Counts{.skip = 5}, any_number), ExitCode::not_judged);
  EXPECT_EQ(exit_code(Counts{.pass = 1, .not_run = 1}, any_number), ExitCode::not_judged);
}

TEST(ExitCodes, AFailureOutweighsAnError) {
  EXPECT_EQ(exit_code(Counts{.pass = 1, .error = 1}, any_number), ExitCode::not_judged);
  EXPECT_EQ(exit_code(Counts{.fail = 1, .error = 1}, any_number), ExitCode::failed);
  EXPECT_EQ(exit_code(Counts{.pass = 1, .crash = 1}, any_number), ExitCode::failed);
  EXPECT_EQ(exit_code(Counts{.pass = 1, .hang = 1}, any_number), ExitCode::failed);
}

TEST(ExitCodes, SkipsBeyondTheLimitCannotBeJudged) {
  EXPECT_EQ(exit_code(Counts{.pass = 1, .skip = 2}, 2), ExitCode::passed);
  EXPECT_EQ(exit_code(Counts{.pass = 1, .skip = 3}, 2), ExitCode::not_judged);
  EXPECT_EQ(exit_code(Counts{.pass = 1, .skip = 1}, 0), ExitCode::not_judged);
}

}  // namespace
}  // namespace gpucheck::harness
