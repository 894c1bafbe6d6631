#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/telemetry/idle_gate.hpp"
#include "harness/tests/telemetry/scripted_gpus.hpp"

/// When a GPU is idle: each reading at its limit.
namespace gpucheck::harness {
namespace {

using telemetry::Machine;
using telemetry::Reading;
using telemetry::Unavailable;

/// What is found of the first GPU with these readings.
IdleReport idle_with(const std::function<void(telemetry::Gpu&)>& change, std::int64_t allowed_percent = 0) {
  const auto apply = [change](Machine& machine, int) { change(machine.gpus[0]); };
  const auto watch = watch_two(apply, apply);
  return wait_until_idle(*watch, 0, {.patience = std::chrono::milliseconds(1), .utilization_percent = allowed_percent});
}

TEST(IdleGateLimits, UtilizationMayBeAsHighAsIsAllowed) {
  const auto found = [](std::int64_t percent, std::int64_t allowed) {
    return idle_with([percent](telemetry::Gpu& gpu) { gpu[Reading::utilization_gpu] = percent; }, allowed).is_idle;
  };
  EXPECT_TRUE(found(0, 0));
  EXPECT_FALSE(found(1, 0));
  EXPECT_TRUE(found(5, 5));
  EXPECT_FALSE(found(6, 5));
}

TEST(IdleGateLimits, WhatHoldsClocksDownIsHeatPowerBrakeAndHardware) {
  using namespace telemetry::clock_event;
  const auto found = [](std::int64_t reasons) {
    return idle_with([reasons](telemetry::Gpu& gpu) { gpu[Reading::clock_event_reasons] = reasons; }).is_idle;
  };
  for (const std::int64_t held :
       {hardware_slowdown, hardware_thermal_slowdown, hardware_power_brake, software_thermal_slowdown}) {
    EXPECT_FALSE(found(held)) << held;
    EXPECT_FALSE(found(held | 1)) << "beside another reason: " << held;
  }
  EXPECT_TRUE(found(0));
  EXPECT_TRUE(found(1)) << "nvml.h: nvmlClocksEventReasonGpuIdle";
  EXPECT_TRUE(found(4)) << "nvml.h: nvmlClocksEventReasonSwPowerCap";
}

TEST(IdleGateLimits, ReasonsThatAreNotOfferedHoldNothingAgainstAGpuAndThoseThatFailDo) {
  const auto with = [](const Unavailable& reasons) {
    return idle_with([reasons](telemetry::Gpu& gpu) { gpu[Reading::clock_event_reasons] = reasons; });
  };
  EXPECT_TRUE(with({.reason = "not supported"}).is_idle);
  const IdleReport failed = with({.reason = "Unknown Error", .is_failure = true});
  EXPECT_FALSE(failed.is_idle);
  EXPECT_EQ(failed.reason, "what holds the clocks down is not known: Unknown Error");
}

TEST(IdleGateLimits, OthersAreAllProcessesButThisOne) {
  const auto others = [](std::vector<std::int64_t> pids, const std::string& problem = {}) {
    return idle_with([&](telemetry::Gpu& gpu) {
             gpu.processes.clear();
             for (const std::int64_t pid : pids) gpu.processes.push_back({.pid = pid, .used_memory_bytes = {}});
             gpu.processes_problem = problem;
           })
        .other_processes;
  };
  const std::int64_t own = ::getpid();
  EXPECT_EQ(others({}), 0);
  EXPECT_EQ(others({own}), 0);
  EXPECT_EQ(others({1, own, 2}), 2);
  EXPECT_EQ(others({1, 2}, "not permitted"), std::nullopt) << "nobody knows";
}

}  // namespace
}  // namespace gpucheck::harness
