#include <algorithm>
#include <gtest/gtest.h>
#include <memory>

#include "base/text/units.hpp"
#include "cases/shared/bandwidth_support.hpp"
#include "device/fault/fault_driver.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/sim/sim_driver.hpp"

// What is made of samples, and how they are taken.
namespace gpucheck::cases::in_bandwidth {
namespace {

using namespace literals;

TEST(Samples, AreToldByTheirMedianAndSpread) {
  const Samples samples{.bytes = 6'000'000, .ms = {9, 1, 3, 2, 4}};
  EXPECT_EQ(samples.median_ms(), 3);
  EXPECT_DOUBLE_EQ(samples.gbps(), 2);
  EXPECT_DOUBLE_EQ(samples.spread_percent(), 200.0 / 3);
  EXPECT_EQ(samples.measured(), 5U);
}

TEST(Samples, AreUnsteadyWhereMoreThanOneInFourIs) {
  EXPECT_EQ((Samples{.ms = {2, 2, 90, 2, 2, 90, 2, 2, 2}}).spread_percent(), 0) << "two of nine were disturbed";
  EXPECT_EQ((Samples{.ms = {2, 2, 3, 2, 2, 3, 2, 2, 3}}).spread_percent(), 50);
  EXPECT_EQ((Samples{.ms = {2, 1, 1, 2, 2, 1, 2, 2, 2}}).spread_percent(), 50) << "likewise of those that were fast";
}

/// How many of the samples that begin with the call `first` a plan delays.
std::size_t slow_samples(const fault::Plan& plan, std::uint64_t first, std::uint64_t calls_per_sample) {
  const auto is_slow = [&plan](std::uint64_t call) {
    return std::ranges::any_of(
        plan.rules, [call](const fault::Rule& rule) { return call >= rule.first && call < rule.first + rule.times; });
  };
  std::size_t slow = 0;
  for (std::size_t i = 0; i < sample_count; ++i) {
    bool any = false;
    for (std::uint64_t n = 0; n < calls_per_sample; ++n) any = any || is_slow(first + i * calls_per_sample + n);
    slow += any ? 1U : 0U;
  }
  return slow;
}

TEST(SomeDelayed, AreThreeOrFourOfNineSamplesWhereverTheyBegin) {
  for (const std::uint64_t calls_per_sample : {1U, 2U, 6U, 56U}) {
    const fault::Plan plan = some_delayed(fault::Operation::copy, calls_per_sample);
    for (std::uint64_t first = 8 * calls_per_sample; first < 40 * calls_per_sample; ++first) {
      const std::size_t slow = slow_samples(plan, first, calls_per_sample);
      EXPECT_TRUE(slow == 3 || slow == 4) << slow << " from call " << first << " on, " << calls_per_sample << " each";
    }
  }
}

TEST(Samples, InWhichNoTimePassedAreNone) {
  const Samples samples{.bytes = 1, .ms = {0, 0, 1, 0}};
  EXPECT_EQ(samples.measured(), 1U);
  EXPECT_EQ(samples.gbps(), 0);
  EXPECT_EQ(samples.spread_percent(), 0);
  EXPECT_EQ(Samples{}.gbps(), 0);
  EXPECT_EQ(Samples{}.spread_percent(), 0);
}

TEST(Summary, IsOfTheVerificationThatSawLeast) {
  Summary summary;
  summary.add_verification(100, 100);
  summary.add_verification(30, 60);
  summary.add_verification(200, 200);
  EXPECT_EQ(summary.percent_verified, 50);
}

TEST(Summary, JoinsThoseOfSeveralDevices) {
  Summary all{.samples = 9, .percent_verified = 90, .mismatches = 1};
  all.add({.samples = 9, .held = false, .percent_verified = 100, .mismatches = 2});
  EXPECT_EQ(all.samples, 18U);
  EXPECT_FALSE(all.held);
  EXPECT_EQ(all.percent_verified, 90);
  EXPECT_EQ(all.mismatches, 3U);
}

/// A simulated device, the simulator's own view of it, and a stream.
struct Machine {
  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("small")});
  std::unique_ptr<device::Device> device = driver->open(0).value();
  device::UniqueStream stream =
      device::own<device::UniqueStream>(*device, device->create_stream(device::StreamKind::non_blocking, 0));
};

void spin(Machine& machine, std::uint64_t nanoseconds) {
  device::check(device::launch(*machine.device, device::kernels::Spin{nanoseconds}, 1, machine.stream.get()), "spin");
}

TEST(Measure, LeavesTheFirstTimeOut) {
  Machine machine;
  std::size_t calls = 0;
  const Samples samples = measure_held(*machine.device, machine.stream.get(), 1000,
                                       [&] { spin(machine, calls++ == 0 ? 50'000'000 : 1'000'000); });
  EXPECT_EQ(calls, sample_count + 1);
  ASSERT_EQ(samples.ms.size(), sample_count);
  for (const double ms : samples.ms) {
    EXPECT_GE(ms, 1);
    EXPECT_LT(ms, 2) << "the simulated device varies what operations take by less";
  }
  EXPECT_TRUE(samples.held);
  EXPECT_EQ(samples.bytes, 1000U);
}

TEST(Measure, HoldsTheStreamForLongerWhereTheHostIsSlow) {
  Machine machine;
  std::size_t calls = 0;
  const Samples samples = measure_held(*machine.device, machine.stream.get(), 1000, [&] {
    if (calls++ < 2 * (sample_count + 1)) machine.driver->advance(2'000'000);  // 20 ms in all
    spin(machine, 1000);
  });
  EXPECT_TRUE(samples.held);
  EXPECT_EQ(calls, 3 * (sample_count + 1)) << "2 ms and 8 ms were too little";
}

TEST(Measure, SaysThatTheStreamWasNotHeld) {
  Machine machine;
  std::size_t calls = 0;
  const Samples samples = measure_held(*machine.device, machine.stream.get(), 1000, [&] {
    ++calls;
    machine.driver->advance(100'000'000);
    spin(machine, 1000);
  });
  EXPECT_FALSE(samples.held);
  EXPECT_EQ(calls, most_attempts * (sample_count + 1));
  EXPECT_EQ(samples.measured(), sample_count);
}

}  // namespace
}  // namespace gpucheck::cases::in_bandwidth
