#include "harness/result/result.hpp"

#include <gtest/gtest.h>

#include "harness/run/exit_codes.hpp"

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

TEST(Counts, CountWaivedAmongThoseThatFailed) {
  CaseResult result;
  result.outcome = Outcome::fail;
  result.waiver = Waiver{};
  result.earlier_attempts.resize(1);
  Counts counts;
  counts.add(result);
  EXPECT_EQ(counts, (Counts{.fail = 1, .waived = 1}));
  EXPECT_EQ(counts.total(), 1);
  result.waiver.reset();
  result.outcome = Outcome::pass;
  counts.add(result);
  EXPECT_EQ(counts, (Counts{.pass = 1, .fail = 1, .waived = 1})) << "flaky is what says so itself";
}

constexpr int any_number = -1;

CaseResult result_on(std::vector<int> devices, Outcome outcome) {
  CaseResult result;
  result.devices = std::move(devices);
  result.outcome = outcome;
  return result;
}

/// Seven of eight GPUs skipped, one passed: a pass of the one is none of the others.
TEST(ExitCodes, ADeviceThatOnlySkippedHasShownNothing) {
  DeviceEvidence evidence;
  evidence.add(result_on({0}, Outcome::pass));
  evidence.add(result_on({0}, Outcome::skip));
  for (int device = 1; device < 8; ++device) evidence.add(result_on({device}, Outcome::skip));
  EXPECT_EQ(evidence.missing({}), (std::vector<int>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(with_unproven(ExitCode::passed, evidence.missing({})), ExitCode::not_judged);
  EXPECT_EQ(with_unproven(ExitCode::failed, evidence.missing({})), ExitCode::failed);
  EXPECT_EQ(with_unproven(ExitCode::passed, {}), ExitCode::passed);
}

TEST(ExitCodes, WhatOnlyReadsIsNoEvidenceOfADeviceThatCannotBeUsed) {
  DeviceEvidence evidence;
  evidence.add(result_on({0}, Outcome::pass));
  evidence.add(result_on({1}, Outcome::pass));
  std::vector<DeviceIdentity> devices(2);
  devices[1].index = 1;
  EXPECT_EQ(evidence.missing(devices), std::vector<int>{});
  devices[1].problem = "CUDA does not start";
  EXPECT_EQ(evidence.missing(devices), std::vector<int>{1});
}

TEST(ExitCodes, APairThatFailedHasShownSomethingOfBoth) {
  DeviceEvidence evidence;
  evidence.add(result_on({0, 1}, Outcome::fail));
  evidence.add(result_on({1}, Outcome::skip));
  evidence.add(result_on({}, Outcome::skip));
  EXPECT_TRUE(evidence.missing({}).empty());
}

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

/// Every way in which a run can be neither a plain pass nor nothing, one result each.
const std::vector<std::pair<const char*, Counts>> more_than_skips{{"pass", {.pass = 1, .skip = 2}},
                                                                  {"fail", {.fail = 1, .skip = 2}},
                                                                  {"error", {.error = 1, .skip = 2}},
                                                                  {"crash", {.crash = 1, .skip = 2}},
                                                                  {"hang", {.hang = 1, .skip = 2}},
                                                                  {"not run", {.skip = 2, .not_run = 1}},
                                                                  {"waived", {.fail = 1, .skip = 2, .waived = 1}}};

TEST(ExitCodes, ForSkipsHoldWhereThereIsNothingElse) {
  constexpr int chosen = 77;
  EXPECT_EQ(exit_code(Counts{.skip = 1}, any_number, chosen), static_cast<ExitCode>(chosen));
  EXPECT_EQ(exit_code(Counts{.skip = 1}, any_number, 0), ExitCode::passed);
  EXPECT_EQ(exit_code(Counts{.skip = 1}, any_number, std::nullopt), ExitCode::not_judged);
  EXPECT_EQ(exit_code(Counts{}, any_number, chosen), ExitCode::not_judged) << "nothing is not a skip";
  EXPECT_EQ(exit_code(Counts{.skip = 2}, 2, chosen), static_cast<ExitCode>(chosen));
  EXPECT_EQ(exit_code(Counts{.skip = 3}, 2, chosen), ExitCode::not_judged) << "more than are allowed";
  EXPECT_EQ(exit_code(Counts{.skip = 1}, 0, chosen), ExitCode::not_judged);
  EXPECT_TRUE(is_only_skips(Counts{.skip = 1}));
  EXPECT_FALSE(is_only_skips(Counts{}));
  for (const auto& [what, counts] : more_than_skips) {
    EXPECT_FALSE(is_only_skips(counts)) << what;
    EXPECT_EQ(exit_code(counts, any_number, chosen), exit_code(counts, any_number)) << what;
    EXPECT_EQ(exit_code(counts, 1, chosen), exit_code(counts, 1)) << what;
  }
}

TEST(ExitCodes, OfTwoReasonsTheWorseCounts) {
  for (const int max_skips : {any_number, 0, 1}) {
    for (Counts counts : {Counts{.fail = 1}, Counts{.crash = 1}, Counts{.hang = 1}}) {
      counts.error = counts.skip = 2;
      counts.not_run = 3;
      EXPECT_EQ(exit_code(counts, max_skips), ExitCode::failed);
      counts.pass = 9;
      EXPECT_EQ(exit_code(counts, max_skips), ExitCode::failed);
      counts.waived = 1;
      EXPECT_EQ(exit_code(counts, max_skips), ExitCode::not_judged) << "the failure is waived, the rest is not";
    }
  }
  EXPECT_EQ(exit_code(Counts{.fail = 1, .crash = 1, .hang = 1, .waived = 3}, any_number), ExitCode::not_judged);
  EXPECT_EQ(exit_code(Counts{.pass = 1, .fail = 2, .waived = 1}, any_number), ExitCode::failed);
}

TEST(ExitCodes, OfAnInterruptionAreTheShells) {
  EXPECT_EQ(static_cast<int>(interrupted_exit_code(2)), 130);
  EXPECT_EQ(static_cast<int>(interrupted_exit_code(15)), 143);
}

TEST(ExitCodes, SkipsBeyondTheLimitCannotBeJudged) {
  EXPECT_EQ(exit_code(Counts{.pass = 1, .skip = 2}, 2), ExitCode::passed);
  EXPECT_EQ(exit_code(Counts{.pass = 1, .skip = 3}, 2), ExitCode::not_judged);
  EXPECT_EQ(exit_code(Counts{.pass = 1, .skip = 1}, 0), ExitCode::not_judged);
}

}  // namespace
}  // namespace gpucheck::harness
