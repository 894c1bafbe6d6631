#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "cases/fabric/group_rounds_support.hpp"

namespace gpucheck::cases::in_fabric {
namespace {

TEST(RoundsForReference, AreNoneWhereThereAreTooFewMembers) {
  for (const std::size_t members : {0U, 1U, 2U, 3U}) EXPECT_TRUE(rounds_for_reference(members).empty()) << members;
}

TEST(RoundsForReference, HaveDisjointGroupsAndAsManyAsTheJudgeNeeds) {
  for (std::size_t members = 4; members <= 300; ++members) {
    std::size_t groups = 0;
    for (const Groups& round : rounds_for_reference(members)) {
      std::set<std::size_t> seen;
      for (const std::vector<std::size_t>& group : round) {
        EXPECT_GE(group.size(), 2U) << members;
        for (const std::size_t member : group) {
          EXPECT_TRUE(seen.insert(member).second) << members << ": " << member << " is in two groups";
          EXPECT_LT(member, members);
        }
      }
      groups += round.size();
    }
    EXPECT_GE(groups, fleet::GroupSpeedRules{}.least_readings) << members;
  }
}

TEST(RoundsForReference, OfFourPairEachMemberWithTwoOthers) {
  EXPECT_EQ(rounds_for_reference(4), (Rounds{{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}}));
}

TEST(GroupReadings, ReachTheFirstProcessAsTheyAre) {
  for (const fleet::GroupRun run : {fleet::GroupRun::completed, fleet::GroupRun::failed, fleet::GroupRun::absent}) {
    const OwnReading reading = reading_from(to_json(OwnReading{.run = run, .gbps = 2.5, .mismatches = 7, .why = "w"}));
    EXPECT_EQ(reading.run, run);
    EXPECT_EQ(reading.gbps, 2.5);
    EXPECT_EQ(reading.mismatches, 7U);
    EXPECT_EQ(reading.why, "w");
  }
}

}  // namespace
}  // namespace gpucheck::cases::in_fabric
