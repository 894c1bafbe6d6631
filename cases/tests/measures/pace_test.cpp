#include <gtest/gtest.h>
#include <ostream>
#include <string>

#include "cases/gemm/product_case_support.hpp"
#include "cases/stress/support.hpp"
#include "cases/tests/run_case.hpp"

// How often, and for how long, a GPU is loaded where nobody says it: no run on the simulated device would show that.
namespace gpucheck::cases::test_of_pace {
namespace {

struct Pace {
  const char* parameter;
  harness::ParameterValue given;
  bool as_gpu;
  const char* key;
  double expected;
};
void PrintTo(const Pace& pace, std::ostream* out) {
  *out << pace.key << " of " << pace.parameter << "=" << harness::to_text(pace.given)
       << (pace.as_gpu ? " on a GPU" : "");
}

class Paces : public testing::TestWithParam<Pace> {};

TEST_P(Paces, AreAsAskedOrAsTheDeviceNeedsThem) {
  static const harness::Case paced = [] {
    harness::Case made;
    made.name = "test.pace";
    made.parameters = {{.name = "seconds", .summary = "", .default_value = 0.0},
                       {.name = "period_ms", .summary = "", .default_value = 0.0},
                       {.name = "pulses", .summary = "", .default_value = std::int64_t{0}}};
    made.run = [](harness::Context& context) {
      const in_stress::Rhythm rhythm = in_stress::rhythm_of(context);
      context.observe("seconds", harness::Value(in_stress::seconds_of(context)));
      context.observe("half_ms", harness::Value(rhythm.half_ms));
      context.observe("pulses", harness::Value(static_cast<double>(rhythm.pulses)));
    };
    return made;
  }();
  const Pace& pace = GetParam();
  const Seen seen = run_case(paced, {.parameters = {{pace.parameter, pace.given}}, .as_gpu = pace.as_gpu});
  EXPECT_EQ(seen.real(pace.key), pace.expected);
}

INSTANTIATE_TEST_SUITE_P(
    Each, Paces,
    testing::Values(Pace{"seconds", 0.0, false, "seconds", 0.0002}, Pace{"seconds", 0.0, true, "seconds", 5},
                    Pace{"seconds", 0.5, false, "seconds", 0.5}, Pace{"seconds", 0.5, true, "seconds", 0.5},
                    Pace{"period_ms", 0.0, false, "half_ms", 0.025}, Pace{"period_ms", 0.0, true, "half_ms", 50},
                    Pace{"period_ms", 0.5, false, "half_ms", 0.25}, Pace{"period_ms", 0.5, true, "half_ms", 0.25},
                    Pace{"pulses", std::int64_t{0}, false, "pulses", 4},
                    Pace{"pulses", std::int64_t{0}, true, "pulses", 20},
                    Pace{"pulses", std::int64_t{1}, false, "pulses", 1},
                    Pace{"pulses", std::int64_t{1}, true, "pulses", 1}));

TEST(ProductsWithin, ATimeAreRoundedUpAndBetweenOneAndAMillion) {
  using in_stress::products_within;
  EXPECT_EQ(products_within(10, 5), 2U);
  EXPECT_EQ(products_within(10, 3), 4U);
  EXPECT_EQ(products_within(10, 10), 1U);
  EXPECT_EQ(products_within(10, 40), 1U);
  EXPECT_EQ(products_within(0, 40), 1U);
  EXPECT_EQ(products_within(1e6, 1), 1'000'000U);
  EXPECT_EQ(products_within(1e6 + 1, 1), 1'000'000U);
  EXPECT_EQ(products_within(1e6 - 1, 1), 999'999U);
  EXPECT_EQ(products_within(10, 0.5), 20U);
  EXPECT_EQ(products_within(10, 0), 1U) << "no time passes between events";
}

/// Products that are timed where one takes so long.
std::int64_t launches(std::int64_t asked, double one_ms, bool as_gpu) {
  static double ms = 0;
  ms = one_ms;
  static const harness::Case timed = [] {
    harness::Case made;
    made.name = "test.launches";
    made.parameters = {{.name = "launches", .summary = "", .default_value = std::int64_t{0}}};
    made.run = [](harness::Context& context) { context.observe("launches", in_gemm::launches_of(context, ms)); };
    return made;
  }();
  return run_case(timed, {.parameters = {{"launches", asked}}, .as_gpu = as_gpu}).number("launches");
}

TEST(Launches, TakeHalfASecondOnAGpu) {
  EXPECT_EQ(launches(0, 1, true), 500);
  EXPECT_EQ(launches(0, 10, true), 50);
  EXPECT_EQ(launches(0, 3, true), 166) << "whole ones";
}

TEST(Launches, AreTenAtLeastAndAThousandAtMost) {
  EXPECT_EQ(launches(0, 50, true), 10);
  EXPECT_EQ(launches(0, 45, true), 11);
  EXPECT_EQ(launches(0, 500, true), 10);
  EXPECT_EQ(launches(0, 0.5, true), 1000);
  EXPECT_EQ(launches(0, 0.4, true), 1000);
  EXPECT_EQ(launches(0, 0.625, true), 800);
  EXPECT_EQ(launches(0, 0, true), 10) << "no time passes between events";
}

TEST(Launches, AreSixOnTheSimulatedDeviceAndAsManyAsAskedOnAny) {
  EXPECT_EQ(launches(0, 1, false), 6);
  for (const bool as_gpu : {false, true}) {
    EXPECT_EQ(launches(1, 1, as_gpu), 1);
    EXPECT_EQ(launches(2000, 1, as_gpu), 2000);
  }
}

}  // namespace
}  // namespace gpucheck::cases::test_of_pace
