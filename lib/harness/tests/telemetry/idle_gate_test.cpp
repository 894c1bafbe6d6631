#include "harness/telemetry/idle_gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/case/execute.hpp"
#include "harness/run/json.hpp"
#include "harness/tests/fixture.hpp"
#include "telemetry/fault/fault_source.hpp"
#include "telemetry/machine/stand_in.hpp"
#include "telemetry/tests/simulated_gpus.hpp"

namespace gpucheck::harness {
namespace {

using std::chrono::milliseconds;
using telemetry::FaultPlan;
using telemetry::first_gpu;
using telemetry::Reading;
using ::testing::HasSubstr;

IdleReport report_of(const FaultPlan& plan, const IdleLimits& limits = {.patience = milliseconds(100)}) {
  const auto open = [plan] {
    auto machine = telemetry::stand_in(telemetry::healthy_machine(), {{first_gpu(), 1000}}, ::getpid());
    return telemetry::inject(telemetry::open_recording(std::move(machine)), plan, first_gpu());
  };
  GpuWatch watch(open, std::vector{first_gpu()}, telemetry::SamplingPace{.patience = milliseconds(200)});
  return wait_until_idle(watch, 0, limits);
}

/// So much at its first answers, and nothing afterwards.
FaultPlan busy_for(std::uint64_t answers) {
  return {{{.what = Reading::utilization_gpu, .value = std::int64_t{100}},
           {.what = Reading::utilization_gpu, .value = std::int64_t{0}, .first = answers + 1}}};
}

TEST(IdleGate, AnIdleGpuIsNotWaitedFor) {
  const IdleReport report = report_of({});
  EXPECT_TRUE(report.is_idle) << report.reason;
  EXPECT_LT(report.waited_ms, 100);
  EXPECT_EQ(report.utilization_percent, 0);
  EXPECT_EQ(report.temperature_celsius, 42);
  EXPECT_EQ(report.other_processes, 0) << "this process is not another";
}

TEST(IdleGate, ABusyOneIs) {
  const IdleReport report = report_of(busy_for(4), {.patience = milliseconds(10'000)});
  EXPECT_TRUE(report.is_idle) << report.reason;
  EXPECT_GE(report.waited_ms, 40);
}

TEST(IdleGate, ButNotForEver) {
  const IdleReport report = report_of(telemetry::always(Reading::utilization_gpu, std::int64_t{7}));
  EXPECT_FALSE(report.is_idle);
  EXPECT_EQ(report.reason, "utilization is 7 %");
  EXPECT_GE(report.waited_ms, 100);
}

TEST(IdleGate, ClocksThatAreHeldDownAreNotIdle) {
  const IdleReport report =
      report_of(telemetry::always(Reading::clock_event_reasons, telemetry::clock_event::hardware_thermal_slowdown));
  EXPECT_FALSE(report.is_idle);
  EXPECT_THAT(report.reason, HasSubstr("0x40"));
}

TEST(IdleGate, OtherProcessesAreCounted) {
  EXPECT_EQ(report_of(telemetry::always(telemetry::Aspect::process, std::int64_t{1})).other_processes, 1);
}

TEST(IdleGate, WhatTheDriverDoesNotTellIsSaid) {
  EXPECT_EQ(report_of(telemetry::not_supported(Reading::utilization_gpu)).reason,
            "utilization is not known: not supported");
  const IdleReport hung = report_of(telemetry::hanging(Reading::temperature_gpu));
  EXPECT_FALSE(hung.is_idle);
  EXPECT_THAT(hung.reason, HasSubstr("did not answer"));
}

TEST(IdleGate, IsPassedBeforeACaseThatNeedsAnIdleGpuAndRecorded) {
  Fixture fixture([](Context&) {});
  fixture.test_case.needs.idle = true;
  Context::Setup setup = fixture.setup();
  const auto open = [] {
    auto machine = telemetry::stand_in(telemetry::healthy_machine(), {{first_gpu(), 1000}}, ::getpid());
    return telemetry::inject(telemetry::open_recording(std::move(machine)), busy_for(4), first_gpu());
  };
  setup.watch = std::make_shared<GpuWatch>(open, std::vector{first_gpu()});
  const Execution execution = execute(std::move(setup));
  const std::optional<IdleReport>& before = execution.telemetry.at(0).before;
  ASSERT_TRUE(before);
  EXPECT_TRUE(before->is_idle) << before->reason;
  EXPECT_GE(before->waited_ms, 40);
  EXPECT_LT(execution.duration_ms, before->waited_ms) << "waiting is not part of the case";
  EXPECT_EQ(gpu_telemetry_from_json(to_json(execution.telemetry.at(0))), execution.telemetry.at(0));
}

TEST(IdleGate, IsNotThereForOtherCases) {
  Fixture fixture([](Context&) {});
  Context::Setup setup = fixture.setup();
  setup.watch = std::make_shared<GpuWatch>(
      [] {
        return telemetry::open_recording(telemetry::stand_in(telemetry::healthy_machine(), {{first_gpu(), 1000}}, 1));
      },
      std::vector{first_gpu()});
  EXPECT_EQ(execute(std::move(setup)).telemetry.at(0).before, std::nullopt);
}

}  // namespace
}  // namespace gpucheck::harness
