#include "observe/history/tick_clock.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace gpucheck::observe::detail {
namespace {

std::int64_t wall_clock_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

TEST(TickClock, StampsLieBetweenWhatTheWallClockSaidBeforeAndAfter) {
  TickClock clock;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t before = wall_clock_us();
    const std::uint64_t stamp = clock.ticks();
    const std::int64_t after = wall_clock_us();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    clock.calibrate();
    constexpr std::int64_t slack_us = 500;  // the two clocks of the system may drift, or be adjusted
    EXPECT_GE(clock.to_microseconds(stamp), before - slack_us);
    EXPECT_LE(clock.to_microseconds(stamp), after + slack_us);
  }
}

// In the middle of twenty milliseconds, several times over: time goes on evenly between two looks at the clocks.
TEST(TickClock, AStampFarFromBothLooksLiesBetweenThem) {
  TickClock clock;
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::int64_t before = wall_clock_us();
    const std::uint64_t stamp = clock.ticks();
    const std::int64_t after = wall_clock_us();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    clock.calibrate();
    constexpr std::int64_t slack_us = 1'000;
    EXPECT_GE(clock.to_microseconds(stamp), before - slack_us);
    EXPECT_LE(clock.to_microseconds(stamp), after + slack_us);
  }
}

TEST(TickClock, StampsBeforeTheFirstLookAndAfterTheLastHaveItsTime) {
  constexpr std::int64_t slack_us = 1'000;
  const std::int64_t before = wall_clock_us();
  TickClock clock;
  const std::int64_t made = wall_clock_us();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::int64_t looked = wall_clock_us();
  clock.calibrate();
  const std::int64_t after = wall_clock_us();
  EXPECT_GE(clock.to_microseconds(0), before - slack_us);
  EXPECT_LE(clock.to_microseconds(0), made + slack_us);
  EXPECT_GE(clock.to_microseconds(~std::uint64_t{0}), looked - slack_us);
  EXPECT_LE(clock.to_microseconds(~std::uint64_t{0}), after + slack_us);
}

TEST(TickClock, AStampKeepsItsTimeAndTheOrder) {
  TickClock clock;
  std::vector<std::uint64_t> stamps;
  for (int i = 0; i < 100; ++i) stamps.push_back(clock.ticks());
  clock.calibrate();
  std::vector<std::int64_t> times;
  for (const std::uint64_t stamp : stamps) times.push_back(clock.to_microseconds(stamp));
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  clock.calibrate();
  for (std::size_t i = 0; i < stamps.size(); ++i) EXPECT_EQ(clock.to_microseconds(stamps[i]), times[i]);
}

}  // namespace
}  // namespace gpucheck::observe::detail
