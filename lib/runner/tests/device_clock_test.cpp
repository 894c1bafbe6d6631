#include "runner/worker/device_clock.hpp"

#include <array>
#include <gtest/gtest.h>

namespace gpucheck::runner {
namespace {

using std::chrono::milliseconds;

constexpr std::array first{0};
constexpr std::array second{1};
constexpr std::array both_devices{0, 1};

TEST(DeviceClock, GivesEachMomentToWhatTheDeviceDoesMostOf) {
  const DeviceClock::Clock::time_point start{};
  DeviceClock clock(2, start);
  clock.starting(first, 1, start + milliseconds(1));          // idle until then
  clock.running(first, 1, start + milliseconds(3));           // a worker was being started
  clock.starting(first, 1, start + milliseconds(7));          // a case runs, whatever starts beside it
  clock.running(both_devices, 1, start + milliseconds(15));   // a second case, on both
  clock.running(first, -1, start + milliseconds(31));         // one of two ends
  clock.running(both_devices, -1, start + milliseconds(63));  // and the other
  clock.starting(first, -1, start + milliseconds(127));
  const auto times = clock.times(start + milliseconds(255));
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].device, 0);
  EXPECT_EQ(times[0].running_ms, 60);        // 3 to 63
  EXPECT_EQ(times[0].starting_ms, 2 + 192);  // 1 to 3, and two that are still being started: 63 to 255
  EXPECT_EQ(times[0].idle_ms, 1);
  EXPECT_EQ(times[1].device, 1);
  EXPECT_EQ(times[1].running_ms, 48);  // 15 to 63
  EXPECT_EQ(times[1].starting_ms, 0);
  EXPECT_EQ(times[1].idle_ms, 15 + 192);
}

TEST(DeviceClock, CountsProcessesAndTheirTimesForEachOfTheirDevices) {
  DeviceClock clock(2, {});
  clock.process_started(both_devices);
  clock.process_started(second);
  clock.own_process(both_devices, 5);
  clock.own_process(second, 7);
  const auto times = clock.times({});
  EXPECT_EQ(times[0].processes, 1);
  EXPECT_EQ(times[1].processes, 2);
  EXPECT_EQ(times[0].own_process_ms, 5);
  EXPECT_EQ(times[1].own_process_ms, 12);
}

}  // namespace
}  // namespace gpucheck::runner
