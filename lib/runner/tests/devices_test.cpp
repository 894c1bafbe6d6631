#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "runner/worker/device_clock.hpp"
#include "test_run.hpp"

/// Runs over several devices, one of which may be sick.
namespace gpucheck::runner::testing {
namespace {

using harness::CaseResult;
using harness::Outcome;
using Devices = std::vector<int>;

/// A run over the four devices of that name.
struct RunOnFour : TestRun {
  explicit RunOnFour(const std::string& name) { options.settings.device = name; }

  /// "0:pass 1:pass", by device.
  [[nodiscard]] std::string outcomes_of(const std::string& case_name) const {
    std::map<Devices, std::string> texts;
    for (const CaseResult& result : summary.results) {
      if (result.name == case_name) texts[result.devices] = harness::to_text(result.outcome);
    }
    std::string text;
    for (const auto& [devices, outcome] : texts) {
      text += text.empty() ? "" : " ";
      for (const int device : devices) text += std::to_string(device) + (device == devices.back() ? ":" : "-");
      text += outcome;
    }
    return text;
  }
  [[nodiscard]] const CaseResult& result_on(const std::string& case_name, const Devices& devices) const {
    return *std::ranges::find_if(summary.results, [&](const CaseResult& result) {
      return result.name == case_name && result.devices == devices;
    });
  }
};

TEST(Devices, EachRunsEveryCaseOnce) {
  RunOnFour run("four");
  run.run({"device.each", "device.pair", "plain.pass"});
  EXPECT_EQ(run.outcomes_of("device.each"), "0:pass 1:pass 2:pass 3:pass");
  EXPECT_EQ(run.outcomes_of("device.pair"), "0-1:pass 2-3:pass");
  EXPECT_EQ(run.outcomes_of("plain.pass"), "pass") << "it needs no device, and is about none";
  EXPECT_EQ(run.summary.results.size(), 7U);
  EXPECT_EQ(run.summary.exit_code, harness::ExitCode::passed);
  EXPECT_EQ(observed(run.result_on("device.each", {3}), "ordinal"), "3");
  EXPECT_EQ(observed(run.result_on("device.pair", {2, 3}), "ordinals"), "[2, 3]");
  EXPECT_EQ(run.result_on("device.each", {2}).rerun_command, "gpucheck run device.each --device four:2 --seed 0");
  EXPECT_EQ(run.result_on("device.pair", {2, 3}).rerun_command, "gpucheck run device.pair --device four:2,3 --seed 0");
  ASSERT_EQ(run.sink.started.devices.size(), 4U);
  EXPECT_EQ(run.sink.started.devices[3].index, 3);
  EXPECT_TRUE(run.folder.no_process_left());
}

TEST(Devices, SomeOfThemAreNumberedByTheirPlaceInTheRun) {
  RunOnFour run("four:1,3");
  run.run({"device.each", "device.pair"});
  EXPECT_EQ(run.outcomes_of("device.each"), "0:pass 1:pass");
  EXPECT_EQ(observed(run.result_on("device.each", {1}), "ordinal"), "3");
  EXPECT_EQ(observed(run.result_on("device.pair", {0, 1}), "ordinals"), "[1, 3]");
  EXPECT_EQ(run.sink.started.devices.at(1).ordinal, 3);
}

TEST(Devices, TheFirstAloneOnRequest) {
  RunOnFour run("four");
  run.options.every_device = false;
  run.run({"device.each", "device.pair"});
  EXPECT_EQ(run.outcomes_of("device.each"), "0:pass");
  EXPECT_EQ(run.outcomes_of("device.pair"), "0-1:pass");
}

TEST(Devices, ALostOneFailsItsCasesAlone) {
  RunOnFour run("lost");
  run.run({"device.each", "device.pair", "device.each_own_process"});
  EXPECT_EQ(run.outcomes_of("device.each"), "0:pass 1:pass 2:fail 3:pass");
  EXPECT_EQ(run.outcomes_of("device.each_own_process"), "0:pass 1:pass 2:fail 3:pass");
  EXPECT_EQ(run.outcomes_of("device.pair"), "0-1:pass 2-3:fail");
  EXPECT_EQ(run.summary.exit_code, harness::ExitCode::failed);
}

TEST(Devices, AStuckOneHangsAlone) {
  RunOnFour run("stuck");
  run.run({"device.each"});
  EXPECT_EQ(run.outcomes_of("device.each"), "0:pass 1:pass 2:hang 3:pass");
  EXPECT_EQ(run.summary.results.back().devices, Devices{2}) << "the others did not wait for it";
  EXPECT_TRUE(run.folder.no_process_left());
}

TEST(Devices, OneWhoseWorkersCannotStartIsAnErrorInEachOfItsCases) {
  RunOnFour run("dead");
  run.plan_options.repeat = 5;
  run.run({"device.each"});
  EXPECT_EQ(run.summary.counts.pass, 15);
  EXPECT_EQ(run.summary.counts.error, 5);
  const CaseResult& result = run.result_on("device.each", {2});
  EXPECT_EQ(result.outcome, Outcome::error);
  EXPECT_EQ(result.reason,
            "device 2 cannot be used: its worker ended before it was ready (killed by signal 6 (SIGABRT))");
  EXPECT_LE(run.sink.finished.device_times.at(2).processes, 3) << "it is not tried for ever";
  EXPECT_EQ(run.summary.exit_code, harness::ExitCode::not_judged);
}

TEST(Devices, OneOnWhichAWorkerDidNotStartIsTriedAgain) {
  RunOnFour run("frail");
  run.options.jobs = 1;
  run.plan_options.repeat = 3;
  run.run({"device.each"});
  EXPECT_EQ(run.summary.counts.error, 1) << "the case for which it was started";
  EXPECT_EQ(run.summary.counts.pass, 11);
}

TEST(Devices, OneThatCannotBeUsedCostsNoCaseThatNeedsNone) {
  RunOnFour run("shy:2");
  run.options.jobs = 1;
  run.plan_options.repeat = 4;
  run.run({"device.each", "plain.pass"});
  EXPECT_EQ(run.summary.counts.error, 4) << "each that needs the device";
  EXPECT_EQ(run.summary.counts.pass, 4);
  EXPECT_EQ(run.outcomes_of("plain.pass"), "pass");
}

TEST(Devices, OneThatNeverAnswersIsWaitedForOnce) {
  RunOnFour run("mute");
  run.options.start_limit = std::chrono::milliseconds(1500);
  run.plan_options.repeat = 4;
  run.run({"device.each"});
  EXPECT_EQ(run.summary.counts.pass, 12);
  EXPECT_EQ(run.summary.counts.error, 4);
  EXPECT_EQ(run.result_on("device.each", {2}).reason, "device 2 cannot be used: its worker was not ready within 1.5 s");
  EXPECT_LT(run.seconds, 30);
  EXPECT_TRUE(run.folder.no_process_left());
}

TEST(Devices, ThatDoNotStartAreToldOfAndStopNothingThatOnlyReads) {
  RunOnFour run("unstarted");
  run.run({"device.each", "device.pair", "readings.pass", "plain.pass"});
  EXPECT_EQ(run.outcomes_of("device.each"), "0:error 1:error");
  EXPECT_EQ(run.outcomes_of("device.pair"), "0-1:error");
  EXPECT_EQ(run.outcomes_of("readings.pass"), "0:pass 1:pass");
  EXPECT_EQ(run.outcomes_of("plain.pass"), "pass");
  EXPECT_EQ(run.result_on("device.each", {0}).reason,
            "device 0 cannot be used: CUDA does not start: system not yet initialized (cudaErrorSystemNotReady, 802)");
  ASSERT_EQ(run.result_on("device.each", {0}).mismatches.size(), 1U);
  EXPECT_EQ(run.result_on("device.each", {0}).mismatches[0].failure, "GC6013");
  ASSERT_EQ(run.sink.started.devices.size(), 2U);
  EXPECT_EQ(run.sink.started.devices[0].name, "NVIDIA H100");
  EXPECT_EQ(run.sink.started.devices[0].uuid, "GPU-1");
  EXPECT_EQ(run.summary.exit_code, harness::ExitCode::not_judged);
  EXPECT_TRUE(run.folder.no_process_left());
}

TEST(Devices, WhatOnlyReadsIsNoEvidenceOfOneThatCannotBeUsed) {
  RunOnFour run("unstarted");
  run.run({"readings.pass", "plain.pass"});
  EXPECT_EQ(run.summary.counts.pass, 3);
  EXPECT_EQ(run.sink.finished.unproven_devices, (Devices{0, 1}));
  EXPECT_EQ(run.summary.exit_code, harness::ExitCode::not_judged);
}

TEST(Devices, ACaseThatSaysItOnlyReadsMayNotOpenOne) {
  RunOnFour run("four:0");
  run.run({"readings.opens"});
  EXPECT_EQ(run.result_on("readings.opens", {0}).reason,
            "case readings.opens opens a device, and says that it needs only libnvidia-ml.so.1");
}

TEST(Devices, WhatIsNotThereIsASkipBeforeAnythingIsStarted) {
  RunOnFour run("four:1");
  run.run({"device.pair", "device.large", "device.crowd"});
  EXPECT_EQ(run.summary.counts.skip, 3);
  EXPECT_EQ(run.result("device.pair").reason, "needs 2 devices, 1 is there");
  EXPECT_EQ(run.result("device.crowd").reason, "needs 9 devices, 1 is there");
  EXPECT_EQ(run.result("device.large").reason, "needs 1024.00 GiB of device memory, 79.18 GiB are there");
  EXPECT_EQ(run.sink.finished.device_times.at(0).processes, 1) << "the one that reported what there is";
}

TEST(Devices, BothOfAPairAreHeldToTheRules) {
  RunOnFour run("four:0,1");
  run.run({"device.leaks_on_both", "device.leaks_on_peer"});
  const CaseResult& both = run.result("device.leaks_on_both");
  ASSERT_EQ(both.mismatches.size(), 2U);
  EXPECT_EQ(both.mismatches[0].key, "rule.device_memory_freed");
  EXPECT_EQ(both.mismatches[0].seen, "device 0: 1048576 bytes in 1 allocations");
  EXPECT_EQ(both.mismatches[1].seen, "device 1: 1048576 bytes in 1 allocations");
  const CaseResult& peer = run.result("device.leaks_on_peer");
  ASSERT_EQ(peer.mismatches.size(), 1U);
  EXPECT_EQ(peer.mismatches[0].seen, "device 1: 1048576 bytes in 1 allocations");
}

TEST(Devices, ACaseGetsNoMoreThanItNeeds) {
  RunOnFour run("four");
  run.run({"device.greedy"});
  EXPECT_EQ(run.outcomes_of("device.greedy"), "0:error 1:error 2:error 3:error");
  EXPECT_EQ(run.result_on("device.greedy", {0}).reason,
            "case device.greedy asks for its device 1, and has 1: see its needs");
}

TEST(Devices, WarmWorkersServeOneDevice) {
  RunOnFour run("four");
  run.options.jobs = 1;
  run.plan_options.repeat = 5;
  run.run({"device.each"});
  EXPECT_EQ(run.summary.counts.pass, 20);
  for (const harness::DeviceTime& time : run.sink.finished.device_times) EXPECT_EQ(time.processes, 1) << time.device;
}

TEST(Devices, ExclusiveCasesAreAloneOnTheirOwnOnly) {
  RunOnFour run("four");
  run.options.jobs = 2;
  run.plan_options.settings.parameters = {{"sleep_ms", std::int64_t{2500}}};
  run.options.timeout = std::chrono::seconds(30);
  run.run({"device.exclusive"});
  EXPECT_EQ(run.summary.counts.pass, 4);
  double last_start = 0;
  double first_end = 1e300;
  for (const CaseResult& result : run.summary.results) {
    last_start = std::max(last_start, std::stod(observed(result, "start_us")));
    first_end = std::min(first_end, std::stod(observed(result, "end_us")));
  }
  EXPECT_LT(last_start, first_end) << "all four side by side";
}

TEST(Devices, FailFastStopsThemAll) {
  RunOnFour run("lost");
  run.options.fail_fast = true;
  run.options.jobs = 1;
  run.plan_options.repeat = 200;
  run.run({"device.each"});
  EXPECT_GT(run.summary.counts.not_run, 0);
  EXPECT_EQ(static_cast<std::size_t>(run.summary.counts.not_run), run.sink.finished.not_run.size());
  EXPECT_EQ(run.summary.exit_code, harness::ExitCode::failed);
  EXPECT_TRUE(run.folder.no_process_left());
}

TEST(Devices, TheirTimesAddUpToTheRuns) {
  RunOnFour run("four");
  run.run({"device.each", "device.each_own_process"});
  ASSERT_EQ(run.sink.finished.device_times.size(), 4U);
  for (const harness::DeviceTime& time : run.sink.finished.device_times) {
    EXPECT_NEAR(time.running_ms + time.starting_ms + time.idle_ms, run.sink.finished.duration_ms, 0.01);
    EXPECT_GT(time.running_ms, 0);
    EXPECT_GT(time.starting_ms, 0);
    EXPECT_GT(time.own_process_ms, 0);
    EXPECT_GE(time.processes, 2);
  }
}

TEST(DeviceClock, CountsAMomentOnceForEachDevice) {
  using std::chrono::milliseconds;
  const DeviceClock::Clock::time_point start{};
  const auto at = [&](int ms) { return start + milliseconds(ms); };
  DeviceClock clock(2, start);
  const Devices first{0};
  const Devices both{0, 1};
  clock.process_started(first);
  clock.starting(first, 1, at(10));
  clock.running(both, 1, at(30));
  clock.starting(first, -1, at(40));
  clock.running(first, 1, at(50));
  clock.running(first, -1, at(60));
  clock.running(both, -1, at(100));
  clock.own_process(first, 25);
  const auto times = clock.times(at(130));
  EXPECT_DOUBLE_EQ(times[0].idle_ms, 10 + 30);
  EXPECT_DOUBLE_EQ(times[0].starting_ms, 20);
  EXPECT_DOUBLE_EQ(times[0].running_ms, 70);
  EXPECT_EQ(times[0].processes, 1);
  EXPECT_DOUBLE_EQ(times[0].own_process_ms, 25);
  EXPECT_DOUBLE_EQ(times[1].idle_ms, 30 + 30);
  EXPECT_DOUBLE_EQ(times[1].starting_ms, 0);
  EXPECT_DOUBLE_EQ(times[1].running_ms, 70);
  EXPECT_EQ(times[1].device, 1);
}

}  // namespace
}  // namespace gpucheck::runner::testing
