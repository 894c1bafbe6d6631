#include "harness/telemetry/gpu_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/tests/fixture.hpp"
#include "telemetry/fault/fault_source.hpp"
#include "telemetry/machine/stand_in.hpp"
#include "telemetry/tests/simulated_gpus.hpp"

namespace gpucheck::harness {
namespace {

using telemetry::Aspect;
using telemetry::FaultPlan;
using telemetry::first_gpu;
using telemetry::Reading;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr telemetry::SamplingPace quick{.interval = std::chrono::milliseconds(1),
                                        .patience = std::chrono::milliseconds(100)};

telemetry::Machine machine() { return telemetry::stand_in(telemetry::healthy_machine(), {{first_gpu(), 1000}}, 1); }

std::shared_ptr<GpuWatch> watch_of(const FaultPlan& plan) {
  const auto open = [plan] { return telemetry::inject(telemetry::open_recording(machine()), plan, first_gpu()); };
  return std::make_shared<GpuWatch>(open, std::vector{first_gpu()}, quick);
}

GpuTelemetry one_case(GpuWatch& watch) {
  watch.begin();
  return watch.end().at(0);
}

/// Runs a case under a watch.
Execution run_under(const FaultPlan& plan, void (*run)(Context&), int devices = 1) {
  Fixture fixture(run);
  fixture.test_case.needs.devices = devices;
  Context::Setup setup = fixture.setup();
  setup.watch = watch_of(plan);
  return execute(std::move(setup));
}

TEST(GpuWatch, NothingHappensToAHealthyGpu) {
  const auto watch = watch_of({});
  const GpuTelemetry seen = one_case(*watch);
  EXPECT_THAT(seen.changes, IsEmpty());
  EXPECT_THAT(seen.xids, IsEmpty());
  EXPECT_EQ(seen.problem, "");
}

TEST(GpuWatch, TellsWhatGrewAndWasRaised) {
  const auto watch = watch_of(telemetry::rising(Reading::ecc_volatile_corrected, 3) +
                              telemetry::becoming(Reading::remap_pending, true));
  EXPECT_THAT(one_case(*watch).changes,
              ElementsAre(CounterChange{"ecc_volatile_corrected", 3}, CounterChange{"remap_pending", 1}));
  static_cast<void>(watch->gpu());  // one answer more
  EXPECT_THAT(one_case(*watch).changes, ElementsAre(CounterChange{"ecc_volatile_corrected", 6}))
      << "compared with the end of the case before: nothing between the two is lost, and nothing is reported twice";
}

TEST(GpuWatch, TellsNewXidsOnly) {
  const auto watch = watch_of({{{.what = Aspect::xid, .value = std::int64_t{79}, .first = 1},
                                {.what = Aspect::xid, .value = std::int64_t{48}, .first = 3}}});
  static_cast<void>(watch->gpu());
  EXPECT_THAT(one_case(*watch).xids, ElementsAre(48));
}

TEST(GpuWatch, SamplesALongCase) {
  const auto watch = watch_of({});
  watch->begin();
  while (watch->series().count() < 5) std::this_thread::yield();
  const GpuTelemetry seen = watch->end().at(0);
  EXPECT_GE(seen.samples, 5);
  const GaugeSummary temperature{.gauge = "temperature_gpu_celsius", .min = 42, .mean = 42, .max = 42};
  EXPECT_THAT(seen.gauges, ::testing::Contains(temperature));
}

TEST(GpuWatch, AHangOfTheDriverCostsItsAnswersAlone) {
  const auto watch = watch_of(telemetry::hanging(Reading::ecc_volatile_corrected));
  EXPECT_EQ(one_case(*watch).problem, "the driver did not answer within 100 ms");
  EXPECT_THROW(static_cast<void>(watch->gpu()), telemetry::NoAnswer);
}

TEST(GpuWatch, AGpuThatIsGoneIsSaid) {
  const auto watch = watch_of(telemetry::always(Aspect::gpu, {}));
  EXPECT_EQ(one_case(*watch).problem, "the driver has no such GPU");
  EXPECT_THROW(static_cast<void>(watch->gpu()), EnvironmentError);
}

TEST(HardwareRule, ACaseFailsByAnErrorOfTheHardware) {
  const std::vector<FaultPlan> plans{telemetry::rising(Reading::ecc_volatile_uncorrected, 1),
                                     telemetry::rising(Reading::remapped_rows_uncorrected, 1),
                                     telemetry::becoming(Reading::remap_pending, true),
                                     telemetry::becoming(Reading::remap_failed, true),
                                     telemetry::becoming(Reading::retired_pages_pending, true),
                                     telemetry::becoming(Aspect::xid, std::int64_t{79})};
  for (const FaultPlan& plan : plans) {
    FaultPlan from_known = plan;  // retired pages are not what such a GPU has
    from_known.rules.insert(from_known.rules.begin(), {.what = Reading::retired_pages_pending, .value = false});
    const Execution execution = run_under(from_known, [](Context& context) { static_cast<void>(context.device()); });
    EXPECT_THAT(keys(execution.broken_rules), ElementsAre("rule.no_new_hardware_errors"));
    EXPECT_THAT(execution.broken_rules.at(0).failure, ::testing::AnyOf("GC2002", "GC2003", "GC2004", "GC7005"));
    EXPECT_TRUE(execution.contaminated);
    EXPECT_EQ(execution.telemetry.size(), 1U);
  }
}

TEST(HardwareRule, ACounterThatCannotBeReadIsSaid) {
  const telemetry::Unavailable failed{.reason = "Unknown Error", .is_failure = true};
  const Execution execution = run_under(telemetry::always(Reading::pcie_replays, failed), [](Context&) {});
  EXPECT_THAT(execution.broken_rules, IsEmpty());
  EXPECT_EQ(execution.telemetry.at(0).problem, "pcie_replays: Unknown Error");
}

TEST(HardwareRule, WhatProgramsCauseAndWhatEccCorrectedIsNoError) {
  for (const FaultPlan& plan :
       {telemetry::rising(Reading::ecc_volatile_corrected, 1), telemetry::becoming(Aspect::xid, std::int64_t{31}),
        telemetry::rising(Reading::pcie_replays, 1)}) {
    EXPECT_THAT(run_under(plan, [](Context&) {}).broken_rules, IsEmpty());
  }
}

/// What NVML says for NVML_ERROR_GPU_IS_LOST and NVML_ERROR_RESET_REQUIRED; the fault says the one.
TEST(HardwareRule, AGpuThatIsLostOrRequiresAResetIsAFailureOfTheGpu) {
  const telemetry::Unavailable reset{.reason = "nvmlDeviceGetMemoryErrorCounter: GPU requires reset",
                                     .is_failure = true};
  const telemetry::Unavailable other{.reason = "nvmlDeviceGetMemoryErrorCounter: Unknown Error", .is_failure = true};
  const auto codes_under = [](const FaultPlan& plan) {
    std::vector<std::string> codes;
    for (const Mismatch& rule : run_under(plan, [](Context&) { throw Error("cannot judge"); }).broken_rules) {
      codes.emplace_back(rule.failure);
    }
    return codes;
  };
  EXPECT_THAT(codes_under(telemetry::failing(Reading::ecc_volatile_uncorrected)), ElementsAre("GC7005"));
  EXPECT_THAT(codes_under(telemetry::becoming(Reading::pcie_replays, reset)), ElementsAre("GC7004"));
  EXPECT_THAT(codes_under(telemetry::becoming(Reading::pcie_replays, other)), IsEmpty());
}

/// A link or the list of processes may be the first to say so: the counters around a case have neither.
TEST(HardwareRule, WhatACaseReadsOfALostGpuCounts) {
  const telemetry::Unavailable lost{.reason = "nvmlDeviceGetNvLinkState: GPU is lost", .is_failure = true};
  const FaultPlan plan = telemetry::always(telemetry::LinkReading::is_active, lost);
  const auto codes_of = [](const Execution& execution) {
    std::vector<std::string> codes;
    for (const Mismatch& rule : execution.broken_rules) codes.emplace_back(rule.failure);
    return codes;
  };
  EXPECT_THAT(codes_of(run_under(plan, [](Context& context) { static_cast<void>(context.telemetry().gpu()); })),
              ElementsAre("GC7005"));
  EXPECT_THAT(codes_of(run_under(plan, [](Context& context) { static_cast<void>(context.telemetry().machine()); })),
              ElementsAre("GC7005"));
  EXPECT_THAT(codes_of(run_under(plan, [](Context&) {})), IsEmpty()) << "nobody asked";
}

TEST(GpuWatch, ForgetsALossWithItsCase) {
  const telemetry::Unavailable lost{.reason = "GPU is lost", .is_failure = true};
  const auto watch = watch_of(telemetry::always(telemetry::LinkReading::is_active, lost));
  static_cast<void>(watch->gpu());
  EXPECT_EQ(one_case(*watch).problem, "") << "read before the case began";
}

/// NVML's recovery action, asked for since the case began.
TEST(HardwareRule, ARecoveryThatTheDriverComesToAskForIsAFailure) {
  for (const auto& [action, code] : {std::pair{1, "GC7004"}, std::pair{2, "GC7006"}, std::pair{4, "GC7007"}}) {
    const Execution execution =
        run_under(telemetry::becoming(Reading::recovery_action, std::int64_t{action}), [](Context&) {});
    ASSERT_THAT(keys(execution.broken_rules), ElementsAre("rule.no_new_hardware_errors"));
    EXPECT_EQ(execution.broken_rules[0].failure, code);
    EXPECT_EQ(execution.telemetry.at(0).recovery_action, action);
  }
  const Execution before = run_under(telemetry::always(Reading::recovery_action, std::int64_t{1}), [](Context&) {});
  EXPECT_THAT(before.broken_rules, IsEmpty()) << "health.recovery judges what was there before";
  EXPECT_EQ(before.telemetry.at(0).recovery_action, 1);
}

/// NVML gives numbers alone; the kernel's log says that this one is not fatal.
TEST(HardwareRule, TheKernelsLogSaysWhatANumberDoesNot) {
  const auto under = [](const char* line) {
    FaultPlan plan = telemetry::becoming(Aspect::xid, std::int64_t{145});
    if (*line != 0) plan = plan + telemetry::always(Aspect::kernel_lines, std::string(line));
    return run_under(plan, [](Context&) {});
  };
  const Execution harmless = under("NVRM: Xid (PCI:ADDRESS): 145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x04000001)");
  EXPECT_THAT(harmless.broken_rules, IsEmpty());
  EXPECT_THAT(harmless.telemetry.at(0).xids, ElementsAre(145));
  EXPECT_THAT(harmless.telemetry.at(0).harmless_xids, ElementsAre(145));
  EXPECT_THAT(keys(under("NVRM: Xid (PCI:ADDRESS): 145, RLW_SRC_TRACK Fatal XC1 i0 Link 12").broken_rules),
              ElementsAre("rule.no_new_hardware_errors"));
  EXPECT_THAT(keys(under("").broken_rules), ElementsAre("rule.no_new_hardware_errors")) << "the log has nothing";
}

TEST(HardwareRule, IsJudgedHoweverTheCaseEnded) {
  const FaultPlan plan = telemetry::rising(Reading::ecc_volatile_uncorrected, 1);
  const Execution skipped = run_under(plan, [](Context&) { throw Skip("nothing to do"); });
  EXPECT_EQ(skipped.status, Execution::Status::skipped);
  EXPECT_THAT(keys(skipped.broken_rules), ElementsAre("rule.no_new_hardware_errors"));
  const Execution failed = run_under(plan, [](Context& context) {
    poison(context);
    throw Error("no");
  });
  EXPECT_EQ(failed.status, Execution::Status::error);
  EXPECT_THAT(keys(failed.broken_rules), ElementsAre("rule.no_new_hardware_errors")) << "the others are not judged";
}

TEST(HardwareRule, ACaseWithoutADeviceIsNotWatched) {
  const Execution execution = run_under(
      telemetry::rising(Reading::ecc_volatile_uncorrected, 1), [](Context&) {}, 0);
  EXPECT_THAT(execution.broken_rules, IsEmpty());
  EXPECT_THAT(execution.telemetry, IsEmpty());
}

TEST(HardwareRule, AHangOfTheDriverIsToldAndCostsNoVerdict) {
  const Execution execution = run_under(telemetry::hanging(Reading::temperature_gpu), [](Context&) {});
  EXPECT_EQ(execution.status, Execution::Status::completed);
  EXPECT_THAT(execution.broken_rules, IsEmpty());
  EXPECT_THAT(execution.telemetry.at(0).problem, HasSubstr("did not answer"));
}

TEST(ContextTelemetry, TellsTheStateNow) {
  const Execution execution = run_under({}, [](Context& context) {
    const telemetry::Gpu gpu = context.telemetry().gpu();
    if (*telemetry::text(gpu[Reading::uuid]) != "sim-0") throw Error("another GPU");
    if (context.telemetry().machine().host.libraries.empty()) throw Error("the host was not asked");
  });
  EXPECT_EQ(execution.reason, "");
  EXPECT_EQ(execution.status, Execution::Status::completed);
}

TEST(ContextTelemetry, WithoutADriverLibraryACaseIsSkipped) {
  Fixture fixture([](Context& context) { static_cast<void>(context.telemetry().gpu()); });
  Context::Setup setup = fixture.setup();
  const auto open = []() -> std::unique_ptr<telemetry::Source> { throw NotInstalled("no NVML"); };
  setup.watch = std::make_shared<GpuWatch>(open, std::vector{first_gpu()}, quick);
  const Execution execution = execute(std::move(setup));
  EXPECT_EQ(execution.status, Execution::Status::skipped);
  EXPECT_EQ(execution.reason, "no NVML");
}

TEST(ContextTelemetry, AChildHasNone) {
  Fixture fixture([](Context& context) { static_cast<void>(context.telemetry()); });
  const Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Execution::Status::error);
  EXPECT_THAT(execution.reason, HasSubstr("there is no telemetry here"));
}

}  // namespace
}  // namespace gpucheck::harness
