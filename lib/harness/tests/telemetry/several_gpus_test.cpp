#include <atomic>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

#include "harness/telemetry/gpu_watch.hpp"
#include "harness/telemetry/idle_gate.hpp"
#include "harness/tests/fixture.hpp"
#include "telemetry/machine/gpu_loss.hpp"
#include "telemetry/machine/stand_in.hpp"
#include "telemetry/tests/simulated_gpus.hpp"

/// Two GPUs, of which each is itself: what one does is not the other's.
namespace gpucheck::harness {
namespace {

using telemetry::Machine;
using telemetry::Reading;
using telemetry::Unavailable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Script = std::function<void(Machine&, int answer)>;

constexpr telemetry::SamplingPace every_millisecond{.interval = std::chrono::milliseconds(1),
                                                    .patience = std::chrono::milliseconds(1000)};

/// Answers as the scripts say, each from its first answer, which has number 1: one to what is asked before and after a
/// case, and one to what is sampled meanwhile.
class ScriptedSource final : public telemetry::Source {
 public:
  ScriptedSource(Script counters, Script gauges) : counters_(std::move(counters)), gauges_(std::move(gauges)) {
    machine_ = telemetry::stand_in(telemetry::healthy_machine(),
                                   {{telemetry::first_gpu(), 1000}, {telemetry::second_gpu(), 1000}}, ::getpid());
  }
  [[nodiscard]] Machine read(const telemetry::Question& question) override {
    Machine machine = machine_;
    if (question.subset == telemetry::Subset::gauges) {
      if (gauges_) gauges_(machine, ++gauge_answers_);
    } else if (counters_) {
      counters_(machine, question.subset == telemetry::Subset::counters ? ++counter_answers_ : counter_answers_);
    }
    return machine;
  }

 private:
  Machine machine_;
  Script counters_;
  Script gauges_;
  int counter_answers_ = 0;
  int gauge_answers_ = 0;
};

std::shared_ptr<GpuWatch> watch_two(Script counters, Script gauges = {}) {
  const auto open = [counters = std::move(counters), gauges = std::move(gauges)] {
    return std::make_unique<ScriptedSource>(counters, gauges);
  };
  return std::make_shared<GpuWatch>(open, std::vector{telemetry::first_gpu(), telemetry::second_gpu()},
                                    every_millisecond);
}

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
  EXPECT_THAT(watched_case(*watch)[1].xids, IsEmpty()) << "told once";
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

// -- when a GPU is idle ------------------------------------------------------------------------

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
