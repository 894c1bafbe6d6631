#include "fleet/groups/group_readings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpucheck::fleet {
namespace {

GroupReading with_speed(double gbps, std::size_t nodes = 4) { return {GroupRun::completed, nodes, gbps, 0}; }

TEST(GroupJudge, CallsWhatFailedLacksARankOrIsWrongBad) {
  GroupJudge judge;
  const auto verdicts = judge.judge({{GroupRun::failed, 4, 100, 0},
                                     {GroupRun::absent, 4, 0, 0},
                                     {GroupRun::completed, 4, 100, 1},
                                     {GroupRun::unreported, 4, 100, 5},
                                     {GroupRun::completed, 4, 100, 0}});
  EXPECT_EQ(verdicts[0].outcome, GroupOutcome::bad);
  EXPECT_EQ(verdicts[1].outcome, GroupOutcome::bad);
  EXPECT_EQ(verdicts[2].outcome, GroupOutcome::bad);
  EXPECT_EQ(verdicts[2].why, "1 elements are wrong");
  EXPECT_EQ(verdicts[3].outcome, GroupOutcome::unknown);
  EXPECT_EQ(verdicts[4].outcome, GroupOutcome::good);
}

TEST(GroupJudge, ComparesWithTheUpperQuartile) {
  GroupJudge judge;
  const auto verdicts = judge.judge({with_speed(100), with_speed(100), with_speed(86), with_speed(84)});
  for (const GroupVerdict& verdict : verdicts) EXPECT_EQ(verdict.reference_gbps, 100);
  EXPECT_EQ(verdicts[2].outcome, GroupOutcome::good);
  EXPECT_EQ(verdicts[3].outcome, GroupOutcome::bad);
  EXPECT_EQ(verdicts[3].why, "84.0 GB/s, the reference is 100.0 GB/s");
}

TEST(GroupJudge, IsExactAtItsTolerance) {
  GroupJudge judge({.tolerance = 0.25, .reference_gbps = 100, .least_readings = 4});
  const auto verdicts = judge.judge({with_speed(75), with_speed(74.9)});
  EXPECT_EQ(verdicts[0].outcome, GroupOutcome::good);
  EXPECT_EQ(verdicts[1].outcome, GroupOutcome::bad);
}

TEST(GroupJudge, FindsSlowGroupsWhileMoreThanAQuarterAreFast) {
  GroupJudge judge;
  std::vector<GroupReading> round(7, with_speed(50));
  for (int i = 0; i < 3; ++i) round.push_back(with_speed(100));
  const auto verdicts = judge.judge(round);
  EXPECT_EQ(verdicts.front().outcome, GroupOutcome::bad);
  EXPECT_EQ(verdicts.back().outcome, GroupOutcome::good);
}

TEST(GroupJudge, DoesNotJudgeTheSpeedOfASingleGroup) {
  GroupJudge judge;
  const auto verdicts = judge.judge({with_speed(1)});
  EXPECT_EQ(verdicts[0].outcome, GroupOutcome::good);
  EXPECT_FALSE(verdicts[0].speed_judged);
}

TEST(GroupJudge, RemembersRounds) {
  GroupJudge judge;
  judge.judge({with_speed(100), with_speed(100), with_speed(100)});
  const auto verdicts = judge.judge({with_speed(50)});
  EXPECT_TRUE(verdicts[0].speed_judged);
  EXPECT_EQ(verdicts[0].outcome, GroupOutcome::bad);
}

TEST(GroupJudge, FindsNothingWhereAllAreSlowAlikeWithoutALimit) {
  const std::vector<GroupReading> round(8, with_speed(10));
  GroupJudge judge;
  for (const GroupVerdict& verdict : judge.judge(round)) EXPECT_EQ(verdict.outcome, GroupOutcome::good);
  GroupJudge with_limit({.tolerance = 0.15, .reference_gbps = 100, .least_readings = 4});
  for (const GroupVerdict& verdict : with_limit.judge(round)) EXPECT_EQ(verdict.outcome, GroupOutcome::bad);
}

TEST(GroupJudge, ComparesGroupsOfASimilarSizeWhereTheyAreEnough) {
  GroupJudge judge;
  std::vector<GroupReading> round(4, with_speed(200, 2));
  for (int i = 0; i < 4; ++i) round.push_back(with_speed(100, 64));
  for (const GroupVerdict& verdict : judge.judge(round)) EXPECT_EQ(verdict.outcome, GroupOutcome::good);
  EXPECT_EQ(judge.judge({with_speed(100, 2)})[0].outcome, GroupOutcome::bad);
}

TEST(GroupJudge, LeavesOutSpeedsThatAreNone) {
  GroupJudge judge;
  const auto verdicts = judge.judge({with_speed(0), with_speed(0), with_speed(0), with_speed(0)});
  EXPECT_FALSE(verdicts[0].speed_judged);
  EXPECT_EQ(verdicts[0].outcome, GroupOutcome::good);
}

}  // namespace
}  // namespace gpucheck::fleet
