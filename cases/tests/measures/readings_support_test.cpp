#include <gtest/gtest.h>

#include "cases/pool/support.hpp"
#include "cases/sampling.hpp"
#include "cases/shared/health_support.hpp"
#include "cases/support.hpp"
#include "cases/tests/run_case.hpp"

// What cases make of their sizes, windows and readings.
namespace gpucheck::cases::test_of_readings_support {
namespace {

Seen sampled(std::uint64_t asked, bool as_gpu) {
  static std::uint64_t bytes = 0;
  bytes = asked;
  static const harness::Case sampling = [] {
    harness::Case made;
    made.name = "test.sampling";
    made.run = [](harness::Context& context) {
      const tensor::Layout layout = sampled_floats(context, bytes);
      context.observe("count", layout.sizes[0]);
      context.observe("stride", layout.strides[0]);
    };
    return made;
  }();
  return run_case(sampling, {.as_gpu = as_gpu});
}

/// The simulated device has one float of four bytes in 64 KiB.
TEST(SampledFloats, AreAllOnAGpuAndFewOnTheSimulatedDevice) {
  EXPECT_EQ(sampled(262'144, true).number("count"), 65'536);
  EXPECT_EQ(sampled(262'144, true).number("stride"), 1);
  EXPECT_EQ(sampled(262'144, false).number("count"), 4);
  EXPECT_EQ(sampled(262'144, false).number("stride"), 16'384);
  EXPECT_EQ(sampled(262'148, false).number("count"), 5) << "the rest has one, too";
}

/// What `window` makes of its parameter.
Seen window(std::int64_t asked_ms, bool as_gpu) {
  static const harness::Case looking = [] {
    harness::Case made;
    made.name = "test.window";
    made.parameters = {in_health::window_parameter()};
    made.run = [](harness::Context& context) { context.observe("ms", in_health::window(context).count()); };
    return made;
  }();
  return run_case(looking, {.parameters = {{"window_ms", asked_ms}}, .as_gpu = as_gpu});
}

TEST(Window, IsAsAskedOrAsTheDeviceNeedsIt) {
  EXPECT_EQ(window(0, false).number("ms"), 40);
  EXPECT_EQ(window(0, true).number("ms"), 300);
  EXPECT_EQ(window(1, false).number("ms"), 1);
  EXPECT_EQ(window(7, true).number("ms"), 7);
}

TEST(NothingLeft, IsNoMorePrivateSegmentsThanBefore) {
  harness::Case made;
  made.name = "test.nothing_left";
  made.run = [](harness::Context& context) { in_pool::observe_nothing_left(context, 3); };
  EXPECT_EQ(run_case(made).number("private_segments_left"), -3);
}

TEST(Told, ReadingsAreTheirValueOrWhyThereIsNone) {
  harness::Case made;
  made.name = "test.told";
  made.run = [](harness::Context& context) {
    tell(context, "number", std::int64_t{5});
    tell(context, "flag", false);
    tell(context, "text", std::string("word"));
    tell(context, "absent", not_offered());
    tell(context, "failed", not_answered());
  };
  const Seen seen = run_case(made);
  EXPECT_EQ(seen.number("number"), 5);
  EXPECT_FALSE(seen.flag("flag"));
  EXPECT_EQ(seen.text("text"), "word");
  EXPECT_EQ(seen.text("absent"), "not supported");
  EXPECT_EQ(seen.text("failed"), "Unknown Error");
}

TEST(RequiredReadings, AreThereOrTheCaseSaysWhy) {
  using telemetry::Reading;
  telemetry::Gpu gpu;
  gpu[Reading::power_draw] = std::int64_t{5};
  gpu[Reading::mig_enabled] = true;
  gpu[Reading::clock_sm] = not_offered();
  gpu[Reading::clock_memory] = not_answered();
  gpu[Reading::name] = std::string("H100");
  EXPECT_EQ(required_number(gpu, Reading::power_draw), 5);
  EXPECT_TRUE(required_flag(gpu, Reading::mig_enabled));
  EXPECT_THROW(static_cast<void>(required_number(gpu, Reading::clock_sm)), harness::Skip);
  EXPECT_THROW(static_cast<void>(required_flag(gpu, Reading::clock_sm)), harness::Skip);
  EXPECT_THROW(static_cast<void>(required_number(gpu, Reading::clock_memory)), EnvironmentError);
  EXPECT_THROW(static_cast<void>(required_flag(gpu, Reading::clock_memory)), EnvironmentError);
  EXPECT_EQ(without_value(gpu, Reading::clock_sm), "clock_sm_mhz: not supported");
  EXPECT_EQ(without_value(gpu, Reading::name), "name: not a number");
  EXPECT_NO_THROW(require_any(gpu, {Reading::clock_sm, Reading::power_draw}));
  EXPECT_NO_THROW(require_any(gpu, {Reading::clock_memory, Reading::power_draw}));
  EXPECT_EQ(error_text<harness::Skip>([&gpu] {
              require_any(gpu, {Reading::clock_sm, Reading::clock_sm});
            }),
            "clock_sm_mhz: not supported; clock_sm_mhz: not supported");
  EXPECT_EQ(error_text<EnvironmentError>([&gpu] {
              require_any(gpu, {Reading::clock_memory, Reading::clock_sm});
            }),
            "clock_memory_mhz: Unknown Error; clock_sm_mhz: not supported");
}

}  // namespace
}  // namespace gpucheck::cases::test_of_readings_support
