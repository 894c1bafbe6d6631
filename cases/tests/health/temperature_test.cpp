#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/tests/run_case.hpp"

// health.temperature: where heat begins, of the GPU, of its memory and beside its neighbours.
namespace gpucheck::cases::test_of_temperature {
namespace {

using telemetry::Machine;
using telemetry::Reading;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Readings = std::map<Reading, telemetry::Value>;

/// An H100: it slows down at 89 degrees, and its memory at 95.
Seen heat(const Readings& readings, harness::ParameterValues parameters = {}) {
  Machine machine = healthy_gpus(1);
  for (const auto& [reading, value] : readings) machine.gpus[0][reading] = value;
  parameters.emplace("window_ms", std::int64_t{1});
  return run_case(case_named("health.temperature"), machine, nullptr, parameters);
}
std::vector<std::string> too_hot(const Readings& readings, const harness::ParameterValues& parameters = {}) {
  return heat(readings, parameters).texts("too_hot");
}

TEST(Temperature, TheGpuIsTooHotAtItsLimitAndTheMemoryBeyondIt) {
  EXPECT_THAT(too_hot({{Reading::temperature_gpu, 88L}}), IsEmpty());
  EXPECT_THAT(too_hot({{Reading::temperature_gpu, 89L}}), ElementsAre("GPU: 89 degrees, limit 89, margin 0"));
  EXPECT_THAT(too_hot({{Reading::temperature_memory, 95L}}), IsEmpty());
  EXPECT_THAT(too_hot({{Reading::temperature_memory, 96L}}), ElementsAre("memory: 96 degrees, limit 95, margin -1"));
  EXPECT_THAT(too_hot({{Reading::temperature_gpu, 90L}, {Reading::temperature_memory, 97L}}),
              ElementsAre("GPU: 90 degrees, limit 89, margin -1", "memory: 97 degrees, limit 95, margin -2"));
}

TEST(Temperature, AParameterGoesBeforeTheDevicesOwnLimit) {
  const Readings readings{{Reading::temperature_gpu, 50L}, {Reading::temperature_memory, 60L}};
  EXPECT_THAT(too_hot(readings, {{"max_gpu_celsius", std::int64_t{51}}}), IsEmpty());
  EXPECT_THAT(too_hot(readings, {{"max_gpu_celsius", std::int64_t{50}}}),
              ElementsAre("GPU: 50 degrees, limit 50, margin 0"));
  EXPECT_THAT(too_hot(readings, {{"max_memory_celsius", std::int64_t{60}}}), IsEmpty());
  EXPECT_THAT(too_hot(readings, {{"max_memory_celsius", std::int64_t{59}}}),
              ElementsAre("memory: 60 degrees, limit 59, margin -1"));
}

TEST(Temperature, WithoutAThresholdTheMarginCountsFromWhereTheGpuSlowsDown) {
  const auto of_margin = [](std::int64_t margin, const telemetry::Value& slows_down_at) {
    return too_hot({{Reading::temperature_slowdown, not_offered()},
                    {Reading::temperature_margin, margin},
                    {Reading::temperature_margin_slowdown, slows_down_at}});
  };
  EXPECT_THAT(of_margin(-1, -2L), IsEmpty());
  EXPECT_THAT(of_margin(-2, -2L), ElementsAre("GPU: 42 degrees, limit unknown, margin 0"));
  EXPECT_THAT(of_margin(-3, -2L), ElementsAre("GPU: 42 degrees, limit unknown, margin -1"));
  EXPECT_THAT(of_margin(1, not_offered()), IsEmpty());
  EXPECT_THAT(of_margin(0, not_offered()), ElementsAre("GPU: 42 degrees, limit unknown, margin 0"));
}

TEST(Temperature, WithNeitherThereIsNoAnswer) {
  EXPECT_TRUE(heat({{Reading::temperature_slowdown, not_offered()}, {Reading::temperature_margin, not_offered()}})
                  .is_skipped());
  EXPECT_TRUE(heat({{Reading::temperature_gpu, not_offered()}}).is_skipped());
}

TEST(Temperature, ASensorThatShowsWhatNoGpuHasIsNamed) {
  const auto implausible = [](Reading sensor, std::int64_t celsius) {
    return heat({{sensor, celsius}}).texts("implausible_sensors");
  };
  for (const std::int64_t possible : {0, 1, 149, 150}) {
    EXPECT_THAT(implausible(Reading::temperature_gpu, possible), IsEmpty()) << possible;
    EXPECT_THAT(implausible(Reading::temperature_memory, possible), IsEmpty()) << possible;
  }
  EXPECT_THAT(implausible(Reading::temperature_gpu, -1), ElementsAre("GPU: -1 degrees"));
  EXPECT_THAT(implausible(Reading::temperature_gpu, 151), ElementsAre("GPU: 151 degrees"));
  EXPECT_THAT(implausible(Reading::temperature_memory, -1), ElementsAre("memory: -1 degrees"));
  EXPECT_THAT(implausible(Reading::temperature_memory, 151), ElementsAre("memory: 151 degrees"));
}

TEST(Temperature, TheHottestLookCounts) {
  const Script script = [](Machine& answer, Ask ask, std::size_t n) {
    constexpr std::array<std::int64_t, 3> celsius{50, 91, 60};
    if (ask != Ask::gauges) return;
    answer.gpus[0][Reading::temperature_gpu] = celsius.at(n % 3);
    answer.gpus[0][Reading::temperature_memory] = celsius.at(n % 3) + 1;
  };
  const Seen seen =
      run_case(case_named("health.temperature"), healthy_gpus(1), script, {{"window_ms", std::int64_t{30}}});
  EXPECT_THAT(seen.texts("too_hot"), ElementsAre("GPU: 91 degrees, limit 89, margin -2"));
  EXPECT_EQ(seen.number("gpu_celsius"), 91);
  EXPECT_EQ(seen.number("gpu_limit_celsius"), 89);
  EXPECT_EQ(seen.number("gpu_margin_celsius"), -2);
  EXPECT_EQ(seen.number("memory_celsius"), 92);
  EXPECT_EQ(seen.number("memory_limit_celsius"), 95);
}

TEST(Temperature, WhatIsNotKnownIsToldSo) {
  const Seen seen =
      heat({{Reading::temperature_memory, not_offered()}, {Reading::temperature_memory_max, not_offered()}});
  EXPECT_EQ(seen.text("memory_celsius"), "unknown");
  EXPECT_EQ(seen.text("memory_limit_celsius"), "unknown");
  EXPECT_EQ(seen.number("gpu_celsius"), 42);
}

TEST(Temperature, WhatIsWrongIsSaidThoughAnotherSensorFails) {
  EXPECT_THAT(too_hot({{Reading::temperature_gpu, 95L}, {Reading::temperature_memory_max, not_answered()}}),
              ElementsAre("GPU: 95 degrees, limit 89, margin -6"));
  const Seen seen = heat({{Reading::temperature_memory_max, not_answered()}});
  EXPECT_EQ(seen.execution.status, harness::Execution::Status::error);
}

// -- beside its neighbours ---------------------------------------------------------------------------

/// The GPU has one temperature at the first comparison and another at the second; its neighbour has 40 degrees.
Seen beside(std::int64_t first, std::int64_t second, std::int64_t limit = 20) {
  const Script script = [=](Machine& answer, Ask ask, std::size_t n) {
    answer.gpus[1][Reading::temperature_gpu] = std::int64_t{40};
    if (ask == Ask::gpu) answer.gpus[0][Reading::temperature_gpu] = n == 0 ? first : second;
  };
  return run_case(case_named("health.temperature"), healthy_gpus(2), script,
                  {{"window_ms", std::int64_t{1}}, {"max_above_neighbours", limit}});
}

TEST(Temperature, MoreThanTheLimitAboveItsNeighboursIsTooMuch) {
  EXPECT_THAT(beside(60, 60).texts("hotter_than_neighbours"), IsEmpty());
  EXPECT_EQ(beside(60, 60).number("degrees_above_neighbours"), 20);
  EXPECT_THAT(beside(61, 61).texts("hotter_than_neighbours"),
              ElementsAre("21 degrees hotter than the others, limit 20"));
  EXPECT_THAT(beside(61, 61, 21).texts("hotter_than_neighbours"), IsEmpty());
}

TEST(Temperature, AGpuThatCoolsDownIsGivenTime) {
  const Seen cooling = beside(70, 68);
  EXPECT_THAT(cooling.texts("hotter_than_neighbours"), IsEmpty()) << "two degrees less a moment later";
  EXPECT_EQ(cooling.text("degrees_above_neighbours"), "unknown");
  EXPECT_THAT(beside(70, 69).texts("hotter_than_neighbours"),
              ElementsAre("29 degrees hotter than the others, limit 20"));
  EXPECT_THAT(beside(70, 75).texts("hotter_than_neighbours"),
              ElementsAre("35 degrees hotter than the others, limit 20"));
}

TEST(Temperature, AGpuAloneIsComparedWithNone) {
  const Seen seen = heat({});
  EXPECT_EQ(seen.text("hotter_than_neighbours"), "not available");
  EXPECT_EQ(seen.text("degrees_above_neighbours"), "unknown");
}

}  // namespace
}  // namespace gpucheck::cases::test_of_temperature
