#include "runner/plan/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

namespace gpucheck::runner {
namespace {

using Indices = std::vector<std::size_t>;

Indices startable(Schedule& schedule) {
  Indices started;
  while (const auto index = schedule.next()) started.push_back(*index);
  return started;
}

TEST(Schedule, StartsAsManyAsThereAreJobsInTheGivenOrder) {
  Schedule schedule({{}, {}, {}, {}}, 2);
  EXPECT_EQ(startable(schedule), (Indices{0, 1}));
  schedule.finished(1);
  EXPECT_EQ(startable(schedule), (Indices{2}));
  EXPECT_EQ(schedule.running(), 2U);
  EXPECT_EQ(schedule.waiting(), (Indices{3}));
}

TEST(Schedule, RunsWhatIsExclusiveLastAndAlone) {
  Schedule schedule({{.exclusive = true}, {}, {.exclusive = true}, {}}, 4);
  EXPECT_EQ(startable(schedule), (Indices{1, 3}));
  schedule.finished(1);
  EXPECT_EQ(startable(schedule), Indices{});
  schedule.finished(3);
  EXPECT_EQ(startable(schedule), (Indices{0}));
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), (Indices{2}));
}

TEST(Schedule, TriesAgainBeforeWhatHasNotRunYet) {
  Schedule schedule({{}, {}, {.exclusive = true}, {.exclusive = true}}, 1);
  EXPECT_EQ(startable(schedule), (Indices{0}));
  schedule.again(0);
  EXPECT_EQ(startable(schedule), (Indices{0}));
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), (Indices{1}));
  schedule.finished(1);
  EXPECT_EQ(startable(schedule), (Indices{2}));
  schedule.again(2);
  EXPECT_EQ(startable(schedule), (Indices{2}));
}

TEST(Schedule, DoesNotPromiseTheSameMemoryTwice) {
  Schedule schedule({{.memory_share = 0.6}, {.memory_share = 0.5}, {.memory_share = 0.2}, {.memory_share = 1.0}}, 4);
  EXPECT_EQ(startable(schedule), (Indices{0, 2}));
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), (Indices{1}));
  schedule.finished(1);
  EXPECT_EQ(startable(schedule), Indices{});
  schedule.finished(2);
  EXPECT_EQ(startable(schedule), (Indices{3}));
}

TEST(Schedule, PromisesExactlyAsMuchMemoryAsMayBe) {
  static_assert(Schedule::memory_limit == 0.9);
  Schedule fits({{.memory_share = 0.5}, {.memory_share = 0.4}}, 2);
  EXPECT_EQ(startable(fits), (Indices{0, 1})) << "0.5 + 0.4 is 0.9 also as doubles";
  Schedule beyond({{.memory_share = 0.5}, {.memory_share = std::nextafter(0.4, 1.0)}}, 2);
  EXPECT_EQ(startable(beyond), Indices{0});
}

TEST(Schedule, LetsNothingBesideWhatIsExclusive) {
  // A pair waits for both of its devices; meanwhile one of them is given to an exclusive case.
  Schedule schedule({{.devices = {2}}, {.devices = {0, 2}}, {.exclusive = true, .devices = {0}}}, 1);
  EXPECT_EQ(startable(schedule), (Indices{0, 2}));
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), Indices{}) << "device 0 is taken";
  schedule.finished(2);
  EXPECT_EQ(startable(schedule), Indices{1});
  Schedule with_room({{.devices = {2}}, {.devices = {2}}, {.devices = {0, 2}}, {.exclusive = true, .devices = {0}}}, 2);
  EXPECT_EQ(startable(with_room), (Indices{0, 3, 1}));
  with_room.finished(0);
  EXPECT_EQ(startable(with_room), Indices{}) << "as many jobs as there may be would fit, but for what is exclusive";
  with_room.finished(3);
  EXPECT_EQ(startable(with_room), Indices{2});
}

TEST(Schedule, TriesAnExclusiveCaseAgainBehindThoseSideBySide) {
  Schedule schedule({{.devices = {0, 2}}, {.exclusive = true, .devices = {0}}, {.devices = {2}}, {.devices = {2}}}, 1);
  EXPECT_EQ(startable(schedule), Indices{0});
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), (Indices{2, 1}));
  schedule.again(1);
  EXPECT_EQ(schedule.waiting(), (Indices{3, 1}));
}

TEST(Schedule, CountsJobsAndWhatIsExclusiveByDevice) {
  Schedule schedule({{.exclusive = true, .devices = {0}}, {.devices = {1}}, {.devices = {1}}, {.devices = {1}}}, 2);
  EXPECT_EQ(startable(schedule), (Indices{0, 1, 2}));
  schedule.finished(1);
  EXPECT_EQ(startable(schedule), (Indices{3}));
  EXPECT_FALSE(schedule.is_wanted(1));
}

TEST(Schedule, BeginsWithWhatIsExclusiveOnEverySecondDevice) {
  Schedule schedule({{.devices = {0}},
                     {.devices = {1}},
                     {.exclusive = true, .devices = {0}},
                     {.exclusive = true, .devices = {1}},
                     {.exclusive = true, .devices = {0, 1}}},
                    2);
  EXPECT_EQ(startable(schedule), (Indices{0, 3}));
  schedule.again(3);
  EXPECT_EQ(startable(schedule), (Indices{3})) << "tried again before what has not run";
  schedule.finished(0);
  schedule.finished(3);
  EXPECT_EQ(startable(schedule), (Indices{1, 2}));
  schedule.finished(1);
  EXPECT_EQ(startable(schedule), Indices{});
  schedule.finished(2);
  EXPECT_EQ(startable(schedule), Indices{4}) << "what needs several comes last";
}

TEST(Schedule, KeepsWhatNeedsSeveralDevicesToItselfForTheEnd) {
  Schedule schedule({{.exclusive = true, .devices = {0, 1}}, {.exclusive = true, .devices = {0}}}, 1);
  EXPECT_EQ(startable(schedule), Indices{1}) << "though it stands behind in the plan";
  schedule.finished(1);
  EXPECT_EQ(startable(schedule), Indices{0});
}

TEST(Schedule, LetsOneAtATimeMeasureTheWayToTheHost) {
  Schedule schedule({{.host_link = true, .devices = {0}}, {.host_link = true, .devices = {2}}, {.devices = {2}}}, 2);
  EXPECT_EQ(startable(schedule), (Indices{0, 2}));
  schedule.again(0);
  EXPECT_EQ(startable(schedule), Indices{0});
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), Indices{1});
}

TEST(Schedule, GivesEachDeviceACaseBeforeAnyItsSecond) {
  Schedule schedule({{.devices = {0}}, {.devices = {0}}, {.devices = {1}}, {.devices = {1}}}, 2, 3);
  EXPECT_EQ(startable(schedule), (Indices{0, 2, 1}));
  schedule.finished(2);
  EXPECT_EQ(startable(schedule), (Indices{3}));
}

TEST(Schedule, HasAtLeastOneJob) {
  for (const int jobs : {0, -1}) {
    Schedule schedule({{}, {}}, jobs, jobs);
    EXPECT_EQ(startable(schedule), Indices{0}) << jobs;
    schedule.finished(0);
    EXPECT_EQ(startable(schedule), Indices{1}) << jobs;
  }
}

TEST(Schedule, CountsJobsOnAllDevicesTogether) {
  Schedule schedule({{.devices = {0}}, {.devices = {1}}, {.devices = {2}}, {.devices = {}}}, 1, 2);
  EXPECT_EQ(startable(schedule), (Indices{0, 2})) << "device 1 begins with what is exclusive";
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), Indices{3}) << "what needs no device is a job, too";
  EXPECT_EQ(startable(schedule), Indices{});
  schedule.finished(2);
  EXPECT_EQ(startable(schedule), Indices{1});
  EXPECT_EQ(schedule.running(), 2U);
}

TEST(Schedule, DropsAllThatWaits) {
  Schedule schedule({{}, {}, {.exclusive = true}}, 1);
  EXPECT_EQ(startable(schedule), Indices{0});
  EXPECT_EQ(schedule.drop_waiting(), (Indices{1, 2}));
  EXPECT_TRUE(schedule.waiting().empty());
  EXPECT_FALSE(schedule.is_wanted(0));
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), Indices{});
  EXPECT_EQ(schedule.running(), 0U);
}

TEST(Schedule, GivesBackTheMemoryOfWhatHasFinishedAndNoMore) {
  Schedule schedule({{.memory_share = 0.5}, {.memory_share = 0.25}, {.memory_share = 0.5}, {.memory_share = 0.25}}, 4);
  EXPECT_EQ(startable(schedule), (Indices{0, 1}));
  schedule.finished(1);
  EXPECT_EQ(startable(schedule), Indices{3}) << "another half is too much beside the first";
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), Indices{2});
}

TEST(Schedule, TheWayToTheHostIsFreeOnlyWhenItsUserHasFinished) {
  Schedule schedule({{.host_link = true, .devices = {0}}, {.devices = {1}}, {.host_link = true, .devices = {2}}}, 1);
  EXPECT_EQ(startable(schedule), (Indices{0, 1}));
  schedule.finished(1);
  EXPECT_EQ(startable(schedule), Indices{});
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), Indices{2});
}

TEST(Schedule, APairIsAsBusyAsItsBusierDevice) {
  Schedule schedule({{.devices = {2}}, {.devices = {1, 2}}, {.devices = {3}}, {.devices = {0}}}, 2);
  EXPECT_EQ(startable(schedule), (Indices{0, 3, 2, 1})) << "the pair last: one of its devices is busy";
  EXPECT_FALSE(schedule.is_wanted(2));
}

TEST(Schedule, OfWhatIsRepeatedTheFirstTurnIsKept) {
  Schedule schedule({{}, {.exclusive = true}}, 1);
  EXPECT_EQ(startable(schedule), Indices{0});
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), Indices{1});
  schedule.finished(1);
  schedule.repeat(1);
  schedule.repeat(0);
  EXPECT_EQ(schedule.waiting(), (Indices{0, 1}));
  EXPECT_EQ(startable(schedule), Indices{0});
}

TEST(DefaultJobs, AreOnePerCoreUpToALimit) {
  const int cores = std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
  EXPECT_EQ(default_jobs(false), std::min(cores, 8));
  EXPECT_EQ(default_jobs(true), std::min(cores, 2));
}

TEST(Schedule, APairNeedsRoomOnBoth) {
  Schedule schedule({{.devices = {0}}, {.devices = {0, 1}}, {.exclusive = true, .devices = {0, 1}}, {.devices = {1}}},
                    1);
  EXPECT_EQ(startable(schedule), (Indices{0, 3}));
  schedule.finished(3);
  EXPECT_EQ(startable(schedule), Indices{});
  schedule.finished(0);
  EXPECT_EQ(startable(schedule), (Indices{1}));
  EXPECT_TRUE(schedule.is_wanted(1));
  schedule.finished(1);
  EXPECT_EQ(startable(schedule), (Indices{2}));
}

}  // namespace
}  // namespace gpucheck::runner
