#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "harness/tests/fixture.hpp"
#include "harness/tests/telemetry/scripted_gpus.hpp"
#include "telemetry/machine/gpu_loss.hpp"

/// Two GPUs, of which each is itself: what one does is not the other's.
namespace gpucheck::harness {
namespace {

using telemetry::Machine;
using telemetry::Reading;
using telemetry::Unavailable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<GpuTelemetry> watched_case(GpuWatch& watch) {
  watch.begin();
  return watch.end();
}

TEST(TwoGpus, HaveChangesOfTheirOwn) {
  const auto watch = watch_two([](Machine& machine, int answer) {
    machine.gpus[0][Reading::pcie_replays] = (std::int64_t{1} << 33) + 7 * answer;  // beyond 32 bits
    machine.gpus[1][Reading::ecc_volatile_corrected] = std::int64_t{answer == 1 ? 5 : 9};
    machine.gpus[1][Reading::recovery_action] = std::int64_t{answer == 1 ? 0 : 2};
  });
  const std::vector<GpuTelemetry> seen = watched_case(*watch);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].device, 0);
  EXPECT_THAT(seen[0].changes, ElementsAre(CounterChange{"pcie_replays", 7}));
  EXPECT_EQ(seen[0].recovery_action.value_or(0), 0);
  EXPECT_EQ(seen[1].device, 1);
  EXPECT_THAT(seen[1].changes, ::testing::UnorderedElementsAre(CounterChange{"ecc_volatile_corrected", 4},
                                                               CounterChange{"recovery_action", 2}));
  EXPECT_EQ(seen[1].recovery_action, 2);
}

TEST(TwoGpus, ACounterThatFallsAndAFlagThatIsLoweredAreToldAsTheyAre) {
  const auto watch = watch_two([](Machine& machine, int answer) {
    machine.gpus[1][Reading::ecc_volatile_corrected] = std::int64_t{answer == 1 ? 9 : 4};
    machine.gpus[1][Reading::remap_pending] = answer == 1;
  });
  const std::vector<GpuTelemetry> seen = watched_case(*watch);
  EXPECT_THAT(seen[0].changes, IsEmpty());
  EXPECT_THAT(seen[1].changes,
              ElementsAre(CounterChange{"ecc_volatile_corrected", -5}, CounterChange{"remap_pending", -1}));
}

TEST(TwoGpus, WhatCannotBeReadAtOneEndIsNoChange) {
  const auto watch = watch_two([](Machine& machine, int answer) {
    const Unavailable gone{.reason = "Unknown Error", .is_failure = true};
    if (answer == 1) machine.gpus[0][Reading::pcie_replays] = gone;
    if (answer == 2) machine.gpus[1][Reading::pcie_replays] = gone;
  });
  const std::vector<GpuTelemetry> seen = watched_case(*watch);
  EXPECT_THAT(seen[0].changes, IsEmpty());
  EXPECT_EQ(seen[0].problem, "") << "it can be read now";
  EXPECT_THAT(seen[1].changes, IsEmpty());
  EXPECT_EQ(seen[1].problem, "pcie_replays: Unknown Error");
}

TEST(TwoGpus, HaveXidsOfTheirOwn) {
  const auto watch = watch_two([](Machine& machine, int answer) {
    machine.gpus[0].xids = {31};
    machine.gpus[1].xids = answer == 1 ? std::vector<std::int64_t>{13} : std::vector<std::int64_t>{13, 48, 79, 48};
  });
  const std::vector<GpuTelemetry> seen = watched_case(*watch);
  EXPECT_THAT(seen[0].xids, IsEmpty());
  EXPECT_THAT(seen[1].xids, ElementsAre(48, 79, 48));
  EXPECT_THAT(watched_case(*watch)[1].xids, IsEmpty()) << "reported once";
}

TEST(TwoGpus, XidsThatCannotBeReadAreSaid) {
  const auto watch = watch_two([](Machine& machine, int) {
    machine.gpus[1].xids_failed = true;
    machine.gpus[1].xids_problem = "no event set";
  });
  const std::vector<GpuTelemetry> seen = watched_case(*watch);
  EXPECT_EQ(seen[0].problem, "");
  EXPECT_EQ(seen[1].problem, "the GPU's critical errors (XIDs) cannot be read: no event set");
}

TEST(TwoGpus, OneThatIsGoneCostsTheOtherNothing) {
  const auto watch = watch_two([](Machine& machine, int answer) {
    machine.gpus[0][Reading::pcie_replays] = std::int64_t{answer};
    if (answer == 2) machine.gpus.pop_back();
  });
  const std::vector<GpuTelemetry> seen = watched_case(*watch);
  EXPECT_THAT(seen[0].changes, ElementsAre(CounterChange{"pcie_replays", 1}));
  EXPECT_EQ(seen[0].problem, "");
  EXPECT_THAT(seen[1].changes, IsEmpty());
  EXPECT_EQ(seen[1].problem, "the driver has no such GPU");
}

TEST(TwoGpus, OneThatDoesNotAnswerMayBeTheOneThatIsMissing) {
  const std::string silence = telemetry::no_answer_text(std::chrono::milliseconds(3000));
  const auto watch = watch_two([silence](Machine& machine, int) {
    for (const Reading identity : {Reading::uuid, Reading::pci_address}) {
      machine.gpus[1][identity] = Unavailable{.reason = silence, .is_failure = true};
    }
  });
  EXPECT_EQ(watched_case(*watch)[1].problem, silence);
  EXPECT_EQ(watched_case(*watch)[0].problem, "");
  EXPECT_NO_THROW(static_cast<void>(watch->gpu(0)));
  try {
    static_cast<void>(watch->gpu(1));
    ADD_FAILURE() << "it was found";
  } catch (const EnvironmentError& error) {
    EXPECT_EQ(error.what(), silence);
  }
}

TEST(TwoGpus, TheLossOfOneIsItsOwnAndSaysMoreThanAnyOtherProblem) {
  const auto watch = watch_two([](Machine& machine, int) {
    machine.gpus[1][Reading::pcie_replays] = Unavailable{.reason = "Unknown Error", .is_failure = true};
    machine.gpus[1][Reading::ecc_enabled] = Unavailable{.reason = "GPU is lost", .is_failure = true};
  });
  const std::vector<GpuTelemetry> seen = watched_case(*watch);
  EXPECT_EQ(seen[0].problem, "");
  EXPECT_EQ(seen[1].problem, "ecc_enabled: GPU is lost");
}

TEST(TwoGpus, ADriverThatFailedIsAskedAnewForTheNextCase) {
  std::atomic<bool> fails = false;
  const auto watch = watch_two([&fails](Machine& machine, int answer) {
    if (fails) throw EnvironmentError("the driver is gone");
    machine.gpus[0][Reading::pcie_replays] = std::int64_t{10 * answer};
  });
  EXPECT_THAT(watched_case(*watch)[0].changes, ElementsAre(CounterChange{"pcie_replays", 10}));
  fails = true;
  for (const GpuTelemetry& seen : watched_case(*watch)) EXPECT_EQ(seen.problem, "the driver is gone");
  fails = false;
  const std::vector<GpuTelemetry> seen = watched_case(*watch);
  EXPECT_EQ(seen[0].problem, "");
  EXPECT_THAT(seen[0].changes, ElementsAre(CounterChange{"pcie_replays", 10})) << "since the case began";
}

TEST(TwoGpus, HaveGaugesThatMoveEachForItself) {
  const auto watch = watch_two({}, [](Machine& machine, int answer) {
    machine.gpus[0][Reading::temperature_gpu] = std::int64_t{40};
    machine.gpus[1][Reading::temperature_gpu] = std::int64_t{answer == 2 ? 90 : answer == 3 ? 30 : 50};
  });
  watch->begin();
  while (watch->series(1).count() < 5) std::this_thread::yield();
  const std::vector<GpuTelemetry> seen = watch->end();
  const auto temperature = [](const GpuTelemetry& telemetry) {
    for (const GaugeSummary& gauge : telemetry.gauges) {
      if (gauge.gauge == "temperature_gpu_celsius") return gauge;
    }
    return GaugeSummary{};
  };
  EXPECT_GE(seen[1].samples, 5);
  EXPECT_EQ(temperature(seen[0]), (GaugeSummary{"temperature_gpu_celsius", 40, 40, 40}));
  EXPECT_EQ(temperature(seen[1]).min, 30) << "for one sample";
  EXPECT_EQ(temperature(seen[1]).max, 90) << "for one sample";
  EXPECT_GT(temperature(seen[1]).mean, 50);
  EXPECT_LT(temperature(seen[1]).mean, 60);
  for (const GaugeSummary& gauge : seen[1].gauges) EXPECT_NE(gauge.gauge, "clock_event_reasons");
}

/// The log has "Nonfatal" for the one, and nothing for the other.
TEST(TwoGpus, TheLogSpeaksOfTheOneWhoseAddressItNames) {
  const auto watch = watch_two([](Machine& machine, int answer) {
    for (telemetry::Gpu& gpu : machine.gpus) {
      if (answer > 1) gpu.xids = {145};
    }
    machine.host.kernel_events = {{.kind = telemetry::KernelEventKind::xid,
                                   .pci_address = "sim:01:00.0",
                                   .xid = 145,
                                   .text = "RLW_SRC_TRACK Nonfatal XC1"}};
  });
  const std::vector<GpuTelemetry> seen = watched_case(*watch);
  EXPECT_THAT(seen[0].harmless_xids, IsEmpty());
  EXPECT_THAT(seen[1].harmless_xids, ElementsAre(145));
}

TEST(TwoGpus, OfANumberTheLastLineOfTheLogCounts) {
  const auto harmless_after = [](const std::vector<std::string>& texts) {
    const auto watch = watch_two([texts](Machine& machine, int answer) {
      if (answer > 1) machine.gpus[0].xids = {145, 79};
      machine.host.kernel_events.clear();
      for (const std::string& text : texts) {
        machine.host.kernel_events.push_back(
            {.kind = telemetry::KernelEventKind::xid, .pci_address = "sim:00:00.0", .xid = 145, .text = text});
      }
    });
    return watched_case(*watch).at(0).harmless_xids;
  };
  EXPECT_THAT(harmless_after({"A Nonfatal XC1", "A Nonfatal XC1"}), ElementsAre(145)) << "once";
  EXPECT_THAT(harmless_after({"A Nonfatal XC1", "A Fatal XC1"}), IsEmpty());
  EXPECT_THAT(harmless_after({"A Fatal XC1", "A Nonfatal XC1"}), ElementsAre(145));
  EXPECT_THAT(harmless_after({}), IsEmpty());
}

/// A case on the second device and the first, in this order.
Execution run_on_two(std::shared_ptr<GpuWatch> watch, bool idle = false) {
  Fixture fixture([](Context&) {}, 2);
  fixture.test_case.needs = {.devices = 2, .idle = idle};
  Context::Setup setup = fixture.setup();
  setup.ordinals = {1, 0};
  setup.watch = std::move(watch);
  return execute(std::move(setup));
}

TEST(TwoGpus, AnErrorOfOneNamesItByTheDriversNumber) {
  const Execution second = run_on_two(watch_two([](Machine& machine, int answer) {
    if (answer > 1) machine.gpus[1].xids = {79, 31};
  }));
  ASSERT_EQ(second.broken_rules.size(), 1U);
  EXPECT_EQ(second.broken_rules[0].seen, "device 0: XID 79");
  EXPECT_EQ(second.broken_rules[0].failure, "GC7005");
  const Execution both = run_on_two(watch_two([](Machine& machine, int answer) {
    machine.gpus[0][Reading::ecc_volatile_uncorrected] = std::int64_t{3 * answer};
    if (answer > 1) machine.gpus[1].xids = {48, 79};
  }));
  ASSERT_EQ(both.broken_rules.size(), 3U);
  EXPECT_EQ(both.broken_rules[0].seen, "device 1: ecc_volatile_uncorrected +3");
  EXPECT_EQ(both.broken_rules[1].seen, "device 0: XID 48");
  EXPECT_EQ(both.broken_rules[2].seen, "device 0: XID 79");
  EXPECT_TRUE(both.contaminated);
}

TEST(TwoGpus, AreEachFoundIdleOrNot) {
  const auto busy_second = [](Machine& machine, int) {
    machine.gpus[0][Reading::temperature_gpu] = std::int64_t{41};
    machine.gpus[1][Reading::temperature_gpu] = std::int64_t{62};
    machine.gpus[1][Reading::utilization_gpu] = Unavailable{.reason = "not supported"};
  };
  const Execution execution = run_on_two(watch_two({}, busy_second), true);
  ASSERT_EQ(execution.telemetry.size(), 2U);
  EXPECT_TRUE(execution.telemetry[0].before.value().is_idle);
  EXPECT_EQ(execution.telemetry[0].before->temperature_celsius, 41);
  EXPECT_FALSE(execution.telemetry[1].before.value().is_idle);
  EXPECT_EQ(execution.telemetry[1].before->temperature_celsius, 62);
  EXPECT_EQ(execution.telemetry[1].before->reason, "utilization is not known: not supported");
}

}  // namespace
}  // namespace gpucheck::harness
