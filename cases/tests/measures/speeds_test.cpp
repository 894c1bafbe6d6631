#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <variant>
#include <vector>

#include "base/text/units.hpp"
#include "cases/shared/bandwidth_support.hpp"
#include "cases/tests/run_case.hpp"

// What bandwidths are made of: each is known where each copy and kernel takes a tenth of a second longer.
namespace gpucheck::cases::test_of_speeds {
namespace {

using namespace literals;
using fault::Operation;

constexpr std::uint64_t bytes = 64_KiB;
constexpr std::chrono::milliseconds delay(100);

fault::Plan all_delayed(Operation operation) { return in_bandwidth::delayed(operation, fault::every_call, delay); }

/// GB/s of so many buffers in so many delays.
double gbps(double buffers, double delays) { return buffers * static_cast<double>(bytes) / (delays * 100) / 1e6; }

/// What the simulated device spins for takes it up to an eighth longer.
void expect_speed(const Seen& seen, const std::string& key, double expected) {
  EXPECT_LE(seen.real(key), expected * 1.0001) << key;
  EXPECT_GE(seen.real(key), expected * 0.87) << key;
}

struct Speed {
  const char* test_case;
  const char* key;
  Operation slow;
  double buffers;  ///< that a sample's bytes are
  double delays = 1;
  std::size_t devices = 1;
};
void PrintTo(const Speed& speed, std::ostream* out) {
  *out << speed.test_case << " " << speed.key << " on " << speed.devices;
}

class Speeds : public testing::TestWithParam<Speed> {};

TEST_P(Speeds, AreBytesInTheTimeOfASample) {
  const Speed& speed = GetParam();
  const Seen seen = run_case(case_named(speed.test_case), {.parameters = {{"bytes", static_cast<std::int64_t>(bytes)}},
                                                           .plan = all_delayed(speed.slow),
                                                           .devices = speed.devices});
  ASSERT_TRUE(seen.is_completed()) << seen.execution.reason;
  expect_speed(seen, speed.key, gbps(speed.buffers, speed.delays));
  const std::string key = speed.key;
  const double spread = seen.real(key.substr(0, key.rfind('_')) + "_spread_percent");
  EXPECT_GE(spread, 0);
  EXPECT_LT(spread, 15) << "each sample is delayed alike";
}

INSTANTIATE_TEST_SUITE_P(OfOneDevice, Speeds,
                         testing::Values(Speed{"bandwidth.device_copy", "copy_gbps", Operation::copy, 2},
                                         Speed{"bandwidth.device_copy", "kernel_gbps", Operation::launch_kernel, 2},
                                         Speed{"bandwidth.device_read", "read_gbps", Operation::launch_kernel, 1},
                                         Speed{"bandwidth.device_write", "write_gbps", Operation::launch_kernel, 1},
                                         Speed{"bandwidth.device_update", "update_gbps", Operation::launch_kernel, 2},
                                         Speed{"bandwidth.device_to_host", "pinned_gbps", Operation::copy, 1},
                                         Speed{"bandwidth.device_to_host", "pageable_gbps", Operation::copy, 1},
                                         Speed{"bandwidth.host_to_device", "pinned_gbps", Operation::copy, 1},
                                         Speed{"bandwidth.host_to_device", "pageable_gbps", Operation::copy, 1},
                                         Speed{"bandwidth.both_directions", "sum_gbps", Operation::copy, 2}));

// Each of three devices sends two halves of a buffer, one after the other.
INSTANTIATE_TEST_SUITE_P(
    OfSeveralDevices, Speeds,
    testing::Values(Speed{"bandwidth.peer_copy", "copy_gbps", Operation::copy, 1, 1, 2},
                    Speed{"bandwidth.peer_copy", "kernel_write_gbps", Operation::launch_kernel, 1, 1, 2},
                    Speed{"bandwidth.peer_copy", "kernel_read_gbps", Operation::launch_kernel, 1, 1, 3},
                    Speed{"bandwidth.peer_copy", "both_ways_gbps", Operation::copy, 1, 1, 3},
                    Speed{"bandwidth.all_to_all", "copy_gbps", Operation::copy, 1, 1, 2},
                    Speed{"bandwidth.all_to_all", "kernel_write_gbps", Operation::launch_kernel, 1, 1, 2},
                    Speed{"bandwidth.all_to_all", "copy_gbps", Operation::copy, 1, 2, 3},
                    Speed{"bandwidth.host_together", "to_host_alone_gbps", Operation::copy, 1, 1, 2},
                    Speed{"bandwidth.host_together", "to_host_together_gbps", Operation::copy, 1, 1, 3},
                    Speed{"bandwidth.host_together", "to_device_alone_gbps", Operation::copy, 1, 1, 3},
                    Speed{"bandwidth.host_together", "to_device_together_gbps", Operation::copy, 1, 1, 2}));

const harness::ParameterValues of_bytes{{"bytes", static_cast<std::int64_t>(bytes)}};

TEST(Shares, OfDevicesThatShareNothingAreWhole) {
  const Seen seen = run_case(case_named("bandwidth.host_together"),
                             {.parameters = of_bytes, .plan = all_delayed(Operation::copy), .devices = 3});
  EXPECT_EQ(seen.number("devices"), 3);
  EXPECT_NEAR(seen.real("to_host_together_percent"), 100, 13);
  EXPECT_NEAR(seen.real("to_device_together_percent"), 100, 13);
}

TEST(Latencies, AreOfOneStepEach) {
  const Seen seen = run_case(case_named("bandwidth.memory_latency"), {.plan = all_delayed(Operation::launch_kernel)});
  ASSERT_TRUE(seen.is_completed()) << seen.execution.reason;
  // 256 steps on the simulated device.
  for (const char* key : {"cache_ns", "memory_ns"}) {
    EXPECT_GE(seen.real(key), 100e6 / 256) << key;
    EXPECT_LE(seen.real(key), 115e6 / 256) << key;
  }
  EXPECT_TRUE(seen.flag("ends_right"));
  EXPECT_EQ(seen.number("samples"), 18);
}

/// Kernels, in their order: links in the cache, once around them (which ends where it began, whether it ran or not),
/// one that holds the stream, ten that are measured; links in memory, one that holds, ten that are measured.
TEST(Latencies, OfTheCacheAreMeasuredWhenItHasAllLines) {
  const auto ends_right = [](std::uint64_t lost) {
    return run_case(case_named("bandwidth.memory_latency"), {.plan = fault::kernel_lost(fault::nth_call(lost))})
        .flag("ends_right");
  };
  EXPECT_FALSE(ends_right(13)) << "the last one in the cache";
  EXPECT_FALSE(ends_right(25)) << "the last one in memory";
  EXPECT_TRUE(ends_right(26)) << "there are no more";
}

// -- pairs --------------------------------------------------------------------------------------------

/// Each two of three devices are measured, either way, and the slowest of them is this.
void expect_each_pair(const Seen& seen, const std::string& key, double slowest) {
  const auto& values = std::get<std::vector<double>>(seen.values.at(key));
  ASSERT_EQ(values.size(), 9U) << key;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % 4 == 0) {
      EXPECT_TRUE(std::isnan(values[i])) << key << " from a device to itself";
    } else {
      least = std::min(least, values[i]);
    }
  }
  EXPECT_EQ(least, slowest) << key;
}

TEST(PeerCopies, OfEachTwoDevicesAreNamedWhereTheyAreBad) {
  const Seen fine = run_case(case_named("bandwidth.peer_copy"), {.parameters = of_bytes, .devices = 3});
  ASSERT_TRUE(fine.is_completed()) << fine.execution.reason;
  EXPECT_EQ(fine.number("pairs"), 3);
  EXPECT_TRUE(fine.texts("bad_pairs").empty());
  EXPECT_TRUE(fine.numbers("suspects").empty());
  EXPECT_TRUE(fine.texts("out_of_reach").empty());
  EXPECT_EQ(fine.number("samples_of_each"), 63) << "nine of seven ways";
  EXPECT_EQ(fine.real("percent_verified"), 100);
  EXPECT_EQ(fine.number("mismatches"), 0);
  for (const char* way : {"copy", "kernel_write", "kernel_read", "both_ways"}) {
    expect_each_pair(fine, std::string(way) + "_gbps_of_pairs", fine.real(std::string(way) + "_gbps"));
  }
}

/// A pair makes 40 copies, ten each way alone and twenty both ways, and four more by which its findings are read.
TEST(PeerCopies, ASlowOrWrongPairIsNamed) {
  const auto seen_with = [](const fault::Plan& plan) {
    return run_case(case_named("bandwidth.peer_copy"), {.parameters = of_bytes, .plan = plan, .devices = 3});
  };
  const Seen slow = seen_with(in_bandwidth::delayed(Operation::copy, {45, 20}, delay));
  EXPECT_EQ(slow.text("slowest_pair"), "0-2");
  EXPECT_EQ(slow.texts("bad_pairs"), std::vector<std::string>{"0-2"});
  EXPECT_EQ(slow.numbers("suspects"), (std::vector<std::int64_t>{0, 2}));
  const Seen one_way = seen_with(in_bandwidth::delayed(Operation::copy, {55, 10}, delay));
  EXPECT_EQ(one_way.texts("bad_pairs"), std::vector<std::string>{"0-2"}) << "by its slower way";
  const auto& speeds = std::get<std::vector<double>>(one_way.values.at("copy_gbps_of_pairs"));
  EXPECT_LT(speeds.at(6), speeds.at(2) / 2) << "from 2 to 0, not from 0 to 2";
  const Seen wrong = seen_with(fault::copy_flips_bit(fault::nth_call(98)));
  EXPECT_EQ(wrong.texts("bad_pairs"), std::vector<std::string>{"1-2"});
  EXPECT_EQ(wrong.number("mismatches"), 1);
  EXPECT_EQ(seen_with(fault::copy_flips_bit(fault::nth_call(97))).number("mismatches"), 0) << "another came after it";
}

TEST(PeerCopies, OfDevicesThatCannotReachEachOtherAreLeftOut) {
  const auto with = [](fault::Calls calls) {
    return run_case(case_named("bandwidth.peer_copy"),
                    {.parameters = of_bytes,
                     .plan = fault::broken(Operation::can_access_peer, fault::Effect::wrong_answer, calls),
                     .devices = 3});
  };
  const Seen one = with(fault::nth_call(1));
  EXPECT_EQ(one.texts("out_of_reach"), std::vector<std::string>{"0-1"});
  EXPECT_EQ(one.number("pairs"), 2);
  const auto& speeds = std::get<std::vector<double>>(one.values.at("copy_gbps_of_pairs"));
  EXPECT_TRUE(std::isnan(speeds.at(1)) && std::isnan(speeds.at(3)));
  EXPECT_GT(speeds.at(2), 0);
  EXPECT_EQ(with(fault::nth_call(2)).texts("out_of_reach"), std::vector<std::string>{"0-1"}) << "nor the other way";
  EXPECT_TRUE(with(fault::every_call).is_skipped());
}

/// Which is how machines are, and no fault of a device's.
TEST(AllToAll, OfDevicesThatCannotReachEachOtherIsSkipped) {
  // Each of three asks for both others.
  const std::vector<std::string> pairs{"0 1", "0 2", "1 0", "1 2", "2 0", "2 1"};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Seen seen = run_case(
        case_named("bandwidth.all_to_all"),
        {.parameters = of_bytes,
         .plan = fault::broken(Operation::can_access_peer, fault::Effect::wrong_answer, fault::nth_call(i + 1)),
         .devices = 3});
    EXPECT_TRUE(seen.is_skipped()) << pairs[i];
    EXPECT_EQ(seen.execution.reason,
              fmt::format("device {} cannot reach the memory of device {}", pairs[i].front(), pairs[i].back()));
  }
}

// -- what is verified ---------------------------------------------------------------------------------

/// So many copies in a row that are one measurement: none of them happens.
struct Lost {
  const char* test_case;
  std::uint64_t first;
  std::uint64_t copies;
  std::size_t devices = 1;
};
void PrintTo(const Lost& lost, std::ostream* out) { *out << lost.test_case << " from copy " << lost.first; }

class LostMeasurements : public testing::TestWithParam<Lost> {};

/// What an earlier measurement left there does not pass for what this one brings.
TEST_P(LostMeasurements, AreNoticedEach) {
  const Lost& lost = GetParam();
  const Seen seen =
      run_case(case_named(lost.test_case),
               {.parameters = of_bytes, .plan = fault::copy_lost({lost.first, lost.copies}), .devices = lost.devices});
  ASSERT_TRUE(seen.is_completed()) << seen.execution.reason;
  EXPECT_GE(seen.number("mismatches"), static_cast<std::int64_t>(bytes / 8)) << "all words of a buffer";
}

/// Memory that is used again: the case sends the same words as it did before.
TEST(MeasurementsLostAgain, AreNoticedWhereWhatIsSentIsThereAlready) {
  for (const Lost& lost : {Lost{"bandwidth.device_to_host", 1, 10}, Lost{"bandwidth.both_directions", 2, 20},
                           Lost{"bandwidth.host_together", 1, 40, 2}}) {
    const Seen fine = run_case(case_named(lost.test_case), {.parameters = of_bytes, .devices = lost.devices});
    EXPECT_EQ(fine.number("mismatches"), 0) << lost.test_case;
    EXPECT_TRUE(fine.execution.broken_rules.empty()) << lost.test_case;
    const Seen seen = run_case(
        case_named(lost.test_case),
        {.parameters = of_bytes, .plan = fault::copy_lost({lost.first, lost.copies}), .devices = lost.devices});
    EXPECT_GE(seen.number("mismatches"), static_cast<std::int64_t>(lost.devices * bytes / 8)) << lost.test_case;
  }
}

// Ten copies each way are a measurement; before those to a device one copy prepares what the host sends.
INSTANTIATE_TEST_SUITE_P(
    Copies, LostMeasurements,
    testing::Values(Lost{"bandwidth.device_copy", 1, 10}, Lost{"bandwidth.device_to_host", 1, 10},
                    Lost{"bandwidth.device_to_host", 11, 10}, Lost{"bandwidth.host_to_device", 2, 10},
                    Lost{"bandwidth.host_to_device", 13, 10}, Lost{"bandwidth.both_directions", 2, 20},
                    Lost{"bandwidth.peer_copy", 1, 10, 2}, Lost{"bandwidth.peer_copy", 11, 10, 2},
                    Lost{"bandwidth.peer_copy", 21, 20, 2}, Lost{"bandwidth.all_to_all", 1, 20, 2},
                    Lost{"bandwidth.host_together", 1, 10, 2}, Lost{"bandwidth.host_together", 11, 10, 2},
                    Lost{"bandwidth.host_together", 21, 20, 2}, Lost{"bandwidth.host_together", 41, 10, 2},
                    Lost{"bandwidth.host_together", 51, 10, 2}, Lost{"bandwidth.host_together", 61, 20, 2}));

// -- sizes --------------------------------------------------------------------------------------------

/// What a case whose buffers are 1 GiB on a GPU makes of its parameter.
Seen buffers(std::int64_t asked, bool as_gpu) {
  static const harness::Case sized = [] {
    harness::Case made;
    made.name = "test.buffers";
    made.parameters = {in_bandwidth::bytes_parameter(1_GiB)};
    made.run = [](harness::Context& context) { context.observe("bytes", in_bandwidth::buffer_bytes(context, 1_GiB)); };
    return made;
  }();
  return run_case(sized, {.parameters = {{"bytes", asked}}, .as_gpu = as_gpu});
}

TEST(BufferBytes, AreAsAskedInWholePages) {
  EXPECT_EQ(buffers(0, false).number("bytes"), 1048576);
  EXPECT_EQ(buffers(0, true).number("bytes"), 1073741824);
  EXPECT_EQ(buffers(2097152, false).number("bytes"), 2097152);
  EXPECT_EQ(buffers(2097152 + 4095, false).number("bytes"), 2097152);
  EXPECT_EQ(buffers(2097152 + 4096, false).number("bytes"), 2097152 + 4096);
}

TEST(BufferBytes, OfAGpuAreAQuarterOfTheUsualAtLeast) {
  EXPECT_EQ(buffers(268435456, true).number("bytes"), 268435456);
  EXPECT_EQ(buffers(268435455, true).execution.status, harness::Execution::Status::error);
  EXPECT_NE(buffers(268435455, true).execution.reason.find("too small"), std::string::npos);
}

// -- faults -------------------------------------------------------------------------------------------

const fault::Rule& rule_of(const std::vector<harness::Fault>& faults, std::string_view name) {
  const auto found = std::ranges::find(faults, name, &harness::Fault::name);
  return found->plan.rules.front();
}

TEST(CopyFaults, BeginWithTheFirstCopyThatIsMeasured) {
  const std::vector<harness::Fault> faults = in_bandwidth::copy_faults(5, 2);
  EXPECT_EQ(rule_of(faults, "copies_are_lost").first, 5U);
  EXPECT_EQ(rule_of(faults, "copies_are_lost").times, 20U) << "of ten samples, two each";
  EXPECT_EQ(rule_of(faults, "copies_flip_bit").first, 5U);
  EXPECT_EQ(rule_of(faults, "copies_are_slow").first, 5U);
  EXPECT_EQ(rule_of(faults, "copies_are_slow").delay, std::chrono::milliseconds(50));
  EXPECT_EQ(rule_of(faults, "some_copies_are_slow").first, 16U) << "the eighth sample of two";
  EXPECT_EQ(rule_of(in_bandwidth::kernel_faults(3), "kernels_are_slow").first, 3U);
}

}  // namespace
}  // namespace gpucheck::cases::test_of_speeds
