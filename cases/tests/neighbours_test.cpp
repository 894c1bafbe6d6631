#include <gtest/gtest.h>

#include "cases/health/neighbours_support.hpp"

namespace gpucheck::cases::in_health {
namespace {

using telemetry::Gpu;
using telemetry::Machine;
using telemetry::Reading;

struct State {
  std::int64_t celsius = 40;
  std::int64_t utilization = 0;
  std::int64_t power_mw = 70'000;
  const char* model = "H100";
};

/// A machine of GPUs in these states; the first is the one that is looked at.
std::optional<std::int64_t> above(const std::vector<State>& states) {
  Machine machine;
  for (const State& state : states) {
    Gpu& gpu = machine.gpus.emplace_back();
    gpu[Reading::uuid] = "GPU-" + std::to_string(machine.gpus.size());
    gpu[Reading::name] = std::string(state.model);
    gpu[Reading::temperature_gpu] = state.celsius;
    gpu[Reading::utilization_gpu] = state.utilization;
    gpu[Reading::power_draw] = state.power_mw;
  }
  return degrees_above_neighbours(machine, machine.gpus.front());
}

TEST(Neighbours, TheMedianOfTheOthersCounts) {
  EXPECT_EQ(above({{.celsius = 80}, {.celsius = 40}}), 40);
  EXPECT_EQ(above({{.celsius = 80}, {.celsius = 78}, {.celsius = 41}, {.celsius = 42}}), 38);
  EXPECT_EQ(above({{.celsius = 38}, {.celsius = 40}}), -2);
}

TEST(Neighbours, AGpuAloneHasNone) {
  EXPECT_EQ(above({{.celsius = 80}}), std::nullopt);
  EXPECT_EQ(above({{.celsius = 80}, {.celsius = 40, .model = "T4"}}), std::nullopt) << "another model";
}

TEST(Neighbours, OnlyThoseAtTheSameLoadCount) {
  EXPECT_EQ(above({{.celsius = 80, .utilization = 100}, {.celsius = 40}}), std::nullopt);
  EXPECT_EQ(above({{.celsius = 80, .power_mw = 500'000}, {.celsius = 40}}), std::nullopt);
  EXPECT_EQ(above({{.celsius = 80, .utilization = 95}, {.celsius = 50, .utilization = 100}, {.celsius = 30}}), 30);
}

TEST(Neighbours, WhatIsNotKnownIsNotCompared) {
  Machine machine;
  machine.gpus.resize(2);
  for (Gpu& gpu : machine.gpus) {
    gpu.values.fill(telemetry::Unavailable{"not supported"});
    gpu[Reading::temperature_gpu] = std::int64_t{40};
  }
  machine.gpus[0][Reading::uuid] = "GPU-1";
  machine.gpus[0][Reading::temperature_gpu] = std::int64_t{90};
  EXPECT_EQ(degrees_above_neighbours(machine, machine.gpus[0]), std::nullopt) << "nor their load";
  for (Gpu& gpu : machine.gpus) gpu[Reading::utilization_gpu] = std::int64_t{0};
  EXPECT_EQ(degrees_above_neighbours(machine, machine.gpus[0]), 50) << "a board need not measure its power";
  machine.gpus[1][Reading::temperature_gpu] = telemetry::Unavailable{"not supported"};
  EXPECT_EQ(degrees_above_neighbours(machine, machine.gpus[0]), std::nullopt);
}

}  // namespace
}  // namespace gpucheck::cases::in_health
