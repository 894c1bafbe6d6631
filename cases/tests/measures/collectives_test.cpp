#include <algorithm>
#include <gtest/gtest.h>
#include <variant>
#include <vector>

#include "base/text/units.hpp"
#include "cases/nccl/support.hpp"
#include "cases/tests/run_case.hpp"

// What the cases of collectives make of times and of wrong elements.
namespace gpucheck::cases::test_of_collectives {
namespace {

using namespace literals;
using fault::Operation;

constexpr std::uint64_t bytes = 12_KiB;
const harness::ParameterValues of_bytes{{"bytes", static_cast<std::int64_t>(bytes)}};

/// What the simulated device spins for takes it up to an eighth longer.
void expect_up_to(double expected, double seen, const std::string& what) {
  EXPECT_LE(seen, expected * 1.0001) << what;
  EXPECT_GE(seen, expected * 0.87) << what;
}

/// What nccl-tests counts on the bus, of what the busiest rank has, by the number of ranks.
struct Bus {
  const char* test_case;
  double share_of_two;
  double share_of_three;
};
void PrintTo(const Bus& bus, std::ostream* out) { *out << bus.test_case; }

class Collectives : public testing::TestWithParam<Bus> {
 protected:
  [[nodiscard]] static Seen seen(const fault::Plan& plan, std::size_t devices = 2) {
    return run_case(case_named(GetParam().test_case), {.parameters = of_bytes, .plan = plan, .devices = devices});
  }
};

/// Each takes a tenth of a second longer.
TEST_P(Collectives, AreAsFastAsTheirBytesOnTheBus) {
  const fault::Plan slow =
      in_bandwidth::delayed(Operation::communicate, fault::every_call, std::chrono::milliseconds(100));
  for (const std::size_t devices : {2U, 3U}) {
    const Seen all = seen(slow, devices);
    ASSERT_TRUE(all.is_completed()) << all.execution.reason;
    const double share = devices == 2 ? GetParam().share_of_two : GetParam().share_of_three;
    const double large = share * static_cast<double>(bytes) / 100 / 1e6;
    expect_up_to(large, all.real("large_bus_gbps"), "large");
    expect_up_to(large / 32, all.real("medium_bus_gbps"), "medium");
    expect_up_to(115'000, all.real("small_us"), "small");
    EXPECT_LT(all.real("large_spread_percent"), 15);
    EXPECT_LT(all.real("medium_spread_percent"), 15);
    EXPECT_EQ(all.number("ranks"), static_cast<std::int64_t>(devices));
    EXPECT_EQ(all.number("samples"), 27) << "nine of three sizes";
    EXPECT_TRUE(all.flag("held"));
    EXPECT_TRUE(all.flag("healthy"));
  }
}

/// The last of ten calls is compared: those of three sizes, then one call for each of five types, and for the minimum
/// and the maximum of what reduces.
TEST_P(Collectives, AreComparedInEverySizeTypeAndReduction) {
  const auto flipped = [](std::uint64_t call) {
    return seen(fault::broken(Operation::communicate, fault::Effect::flip_bit, fault::nth_call(call)));
  };
  const std::string name = std::string(GetParam().test_case).substr(5);
  const bool reduces = name == "all_reduce" || name == "reduce_scatter";
  std::vector<std::uint64_t> compared{10, 20, 30, 31, 32, 33, 34, 35};
  if (reduces) compared.insert(compared.end(), {36, 37});
  for (const std::uint64_t call : compared) {
    const Seen wrong = flipped(call);
    EXPECT_EQ(wrong.number("mismatches"), 1) << call;
    EXPECT_TRUE(wrong.text("first_mismatch").starts_with(name + " of ")) << wrong.text("first_mismatch");
    EXPECT_NE(wrong.text("first_mismatch").find(", device 0 (rank 0): element "), std::string::npos);
    EXPECT_EQ(wrong.real("percent_verified"), 100);
  }
  for (const std::uint64_t call : {std::uint64_t{9}, std::uint64_t{29}, compared.back() + 1}) {
    EXPECT_EQ(flipped(call).number("mismatches"), 0) << call;
    EXPECT_EQ(flipped(call).text("first_mismatch"), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Collectives,
                         testing::Values(Bus{"nccl.all_reduce", 1, 4.0 / 3}, Bus{"nccl.all_gather", 1.0 / 2, 2.0 / 3},
                                         Bus{"nccl.reduce_scatter", 1.0 / 2, 2.0 / 3}, Bus{"nccl.broadcast", 1, 1},
                                         Bus{"nccl.all_to_all", 1.0 / 2, 2.0 / 3}, Bus{"nccl.send_receive", 1, 1}));

/// The case names the first wrong element of the first rank that has one.
TEST(Collectives, OfSeveralWrongOnesTheFirstIsNamed) {
  fault::Plan plan = fault::broken(Operation::communicate, fault::Effect::flip_bit, fault::nth_call(10));
  plan.rules.push_back(
      fault::broken(Operation::communicate, fault::Effect::flip_bit, fault::nth_call(31)).rules.front());
  const Seen seen = run_case(case_named("nccl.all_reduce"), {.parameters = of_bytes, .plan = plan, .devices = 2});
  EXPECT_EQ(seen.number("mismatches"), 2);
  EXPECT_TRUE(seen.text("first_mismatch").starts_with("all_reduce of fp32, ")) << seen.text("first_mismatch");
}

// -- pairs --------------------------------------------------------------------------------------------

Seen pairs(const fault::Plan& plan) {
  return run_case(case_named("nccl.pairs"), {.parameters = of_bytes, .plan = plan, .devices = 3});
}

TEST(PairsOfRanks, AreAllMeasured) {
  const Seen seen = pairs({});
  ASSERT_TRUE(seen.is_completed()) << seen.execution.reason;
  EXPECT_EQ(seen.number("pairs"), 3);
  EXPECT_EQ(seen.number("samples_of_each"), 9);
  EXPECT_TRUE(seen.texts("bad_pairs").empty());
  EXPECT_EQ(seen.real("percent_verified"), 100);
  EXPECT_EQ(seen.text("first_mismatch"), "");
  EXPECT_TRUE(seen.flag("healthy"));
  EXPECT_TRUE(seen.flag("held"));
  const auto& speeds = std::get<std::vector<double>>(seen.values.at("all_reduce_gbps_of_pairs"));
  ASSERT_EQ(speeds.size(), 9U);
  EXPECT_EQ(speeds[1], speeds[3]);
  EXPECT_EQ(std::min({speeds[1], speeds[2], speeds[5]}), seen.real("slowest_gbps"));
}

/// Each pair makes ten calls.
TEST(PairsOfRanks, TheSlowAndTheWrongOneAreNamed) {
  const Seen slow = pairs(in_bandwidth::delayed(Operation::communicate, {11, 10}, std::chrono::milliseconds(100)));
  EXPECT_EQ(slow.text("slowest_pair"), "0-2");
  EXPECT_EQ(slow.texts("bad_pairs"), std::vector<std::string>{"0-2"});
  expect_up_to(static_cast<double>(bytes) / 100 / 1e6, slow.real("slowest_gbps"), "the slowest");
  for (const std::uint64_t call : {10U, 20U, 30U}) {
    const Seen wrong = pairs(fault::broken(Operation::communicate, fault::Effect::flip_bit, fault::nth_call(call)));
    const std::string pair = call == 10 ? "0-1" : call == 20 ? "0-2" : "1-2";
    EXPECT_EQ(wrong.texts("bad_pairs"), std::vector{pair});
    EXPECT_EQ(wrong.number("mismatches"), 1);
    const std::string device = call == 30 ? "device 1 (rank 0)" : "device 0 (rank 0)";
    EXPECT_NE(wrong.text("first_mismatch").find(device), std::string::npos) << wrong.text("first_mismatch");
  }
}

TEST(PairsOfRanks, OneThatIsNotWellIsEnough) {
  for (const std::uint64_t call : {1U, 2U, 3U}) {
    EXPECT_FALSE(pairs(fault::failing(Operation::communicator_status, device::Status::unknown, fault::nth_call(call)))
                     .flag("healthy"))
        << call;
  }
}

}  // namespace
}  // namespace gpucheck::cases::test_of_collectives
