#include "harness/idle_gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.hpp"
#include "telemetry/fault/fault_source.hpp"
#include "telemetry/stand_in.hpp"
#include "telemetry/tests/simulated_gpus.hpp"

namespace gpucheck::harness {
namespace {

using std::chrono::milliseconds;
using telemetry::FaultPlan;
using telemetry::first_gpu;
using telemetry::Reading;
using ::testing::HasSubstr;

IdleReport report_of(const FaultPlan& plan, const IdleLimits& limits = {.patience = milliseconds(100)}) {
  Fixture fixture;
  Context::Setup setup = fixture.setup();
  const auto open = [plan] {
    auto machine = telemetry::stand_in(telemetry::healthy_machine(), {{first_gpu, 1000}}, ::getpid());
    return telemetry::inject(telemetry::open_recording(std::move(machine)), plan, first_gpu);
  };
  setup.watch =
      std::make_shared<GpuWatch>(open, std::vector{first_gpu}, telemetry::SamplingPace{.patience = milliseconds(200)});
  Context context(std::move(setup));
  return wait_until_idle(context, limits);
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
  EXPECT_EQ(report.other_processes, 0) << "this process is no other";
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

TEST(IdleGate, IsRecordedAsObservations) {
  Fixture fixture([](Context& context) {
    IdleReport report;
    report.reason = "busy";
    report.clock_sm_mhz = 345;
    observe(context, report);
  });
  static_cast<void>(fixture.execute());
  std::vector<std::string> seen;
  for (const Observation& observation : fixture.observed)
    seen.push_back(observation.key + "=" + to_text(observation.value));
  EXPECT_THAT(seen, ::testing::IsSupersetOf({"idle=false", "idle_clock_sm_mhz=345"}));
  EXPECT_EQ(seen.size(), 7U);
}

}  // namespace
}  // namespace gpucheck::harness
