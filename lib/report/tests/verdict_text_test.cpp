#include "report/verdict_text.hpp"

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <utility>

#include "report/sinks.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseFinished;
using harness::DeviceVerdict;
using harness::find_failure_kind;
using harness::Outcome;
using harness::Verdict;

harness::DeviceIdentity third_device() {
  harness::DeviceIdentity device;
  device.index = 3;
  device.uuid = "GPU-5f6c7e52";
  device.pci_bus_id = "0000:41:00.0";
  return device;
}

std::string line_of(const DeviceVerdict& verdict) { return verdict_text(verdict, third_device(), {}); }

TEST(VerdictText, IsOneLineForAPass) {
  EXPECT_EQ(line_of({.device = 3, .verdict = Verdict::passed, .counts = {.pass = 9, .skip = 1}}),
            "device 3: PASSED      9 passed, 1 skipped\n");
}

TEST(VerdictText, SaysOfAFailureWhichDeviceItIsAndWhatToDo) {
  const DeviceVerdict verdict{.device = 3,
                              .verdict = Verdict::failed,
                              .counts = {.pass = 7, .fail = 2, .error = 1},
                              .failed = {"memtest.stress", "nccl.pairs"},
                              .unjudged = {"gemm.bf16"},
                              .failed_by_others = {},
                              .failures = {find_failure_kind("memory_mismatch"), find_failure_kind("slow_memory"),
                                           find_failure_kind("too_slow"), find_failure_kind("not_judged")}};
  EXPECT_EQ(line_of(verdict),
            "device 3: FAILED      7 passed, 2 failed, 1 error; GPU-5f6c7e52 0000:41:00.0\n"
            "          failed: memtest.stress, nccl.pairs\n"
            "          not judged: gemm.bf16\n"
            "          next: replace (GC2001 memory_mismatch), drain (GC2006 slow_memory, GC8001 too_slow), "
            "rerun (GC9001 not_judged)\n");
}

TEST(VerdictText, WhatTheDriverAsksForDecidesTheNextStep) {
  DeviceVerdict verdict{.device = 3,
                        .verdict = Verdict::failed,
                        .counts = {.fail = 2},
                        .failed = {"health.recovery", "memtest.stress"},
                        .failures = {find_failure_kind("memory_mismatch"), find_failure_kind("reboot_required"),
                                     find_failure_kind("slow_memory")},
                        .recovery = find_failure_kind("reboot_required")};
  EXPECT_EQ(next_steps_text(verdict),
            "reboot (GC7006 reboot_required, the driver asks for it); then replace (GC2001 memory_mismatch), drain "
            "(GC2006 slow_memory)");
  verdict.failures = {};
  EXPECT_EQ(line_of({.device = 3,
                     .verdict = Verdict::passed,
                     .counts = {.pass = 2},
                     .recovery = find_failure_kind("gpu_reset_required")}),
            "device 3: PASSED      2 passed\n"
            "          next: reset (GC7004 gpu_reset_required, the driver asks for it)\n");
}

TEST(VerdictText, SaysThatAnotherDeviceIsTheReason) {
  EXPECT_EQ(line_of({.device = 3,
                     .verdict = Verdict::passed,
                     .counts = {.pass = 9, .fail = 1},
                     .failed_by_others = {"nccl.pairs"}}),
            "device 3: PASSED      9 passed, 1 failed\n"
            "          failed, but another device is the reason: nccl.pairs\n");
}

TEST(VerdictText, OfTheMachineNamesNoDevice) {
  EXPECT_EQ(machine_verdict_text({.device = harness::whole_machine,
                                  .verdict = Verdict::failed,
                                  .counts = {.pass = 1, .fail = 1},
                                  .failed = {"health.software"},
                                  .failures = {find_failure_kind("driver_unfit")}},
                                 {}),
            "machine: FAILED      1 passed, 1 failed\n"
            "          failed: health.software\n"
            "          next: configure (GC6003 driver_unfit)\n");
}

TEST(VerdictText, SaysWhyNothingIsKnown) {
  EXPECT_EQ(line_of({.device = 3, .counts = {.skip = 4}}),
            "device 3: NOT JUDGED  4 skipped: nothing is known of it; GPU-5f6c7e52 0000:41:00.0\n");
  EXPECT_EQ(line_of({.device = 3}), "device 3: NOT JUDGED  no case ran on it; GPU-5f6c7e52 0000:41:00.0\n");
  EXPECT_EQ(line_of({.device = 3, .counts = {.pass = 1, .not_run = 2}}),
            "device 3: NOT JUDGED  1 passed, 2 not run; GPU-5f6c7e52 0000:41:00.0\n");
}

TEST(VerdictText, ColoursItsWordOnly) {
  const std::string text =
      verdict_text({.device = 3, .verdict = Verdict::failed, .counts = {.fail = 1}}, third_device(), {.enabled = true});
  EXPECT_TRUE(text.starts_with("device 3: \x1b[1;31mFAILED    \x1b[0m  1 failed")) << text;
}

TEST(VerdictText, NeverPassesControlSequencesOn) {
  harness::DeviceIdentity hostile = third_device();
  hostile.uuid = hostile.pci_bus_id = "\x1b[2J\n";
  const std::string text = verdict_text({.device = 3, .failed = {"\x1b[2J"}}, hostile, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

/// One case that passes on device 0 and fails on device 1.
std::string console_of_two(bool quiet) {
  const MemoryStream stream;
  const auto console = make_console({.stream = stream.get(), .quiet = quiet});
  harness::RunStarted start;
  start.devices.resize(2);
  start.devices[1].index = 1;
  console->on(start);
  for (const auto& [index, outcome] : {std::pair(0, Outcome::pass), {1, Outcome::hang}}) {
    CaseFinished event;
    event.result.name = "a.b";
    event.result.devices = {index};
    event.result.outcome = outcome;
    console->on(event);
  }
  console->on(harness::RunFinished{});
  return stream.text();
}

TEST(Console, EndsWithAVerdictOnEachOfSeveralDevices) {
  const std::string text = console_of_two(false);
  const std::size_t first = text.find("\ndevice 0: PASSED ");
  const std::size_t second = text.find("\ndevice 1: FAILED ");
  ASSERT_NE(first, std::string::npos) << text;
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_LT(first, second);
}

TEST(Console, TellsWhenQuietOfTheDevicesThatDidNotPass) {
  const std::string text = console_of_two(true);
  EXPECT_EQ(text.find("device 0: PASSED"), std::string::npos) << text;
  EXPECT_NE(text.find("device 1: FAILED"), std::string::npos) << text;
}

TEST(QuietConsole, NamesWarningsInOneLineOfAQuietRun) {
  const MemoryStream stream;
  const auto console = make_console({.stream = stream.get(), .quiet = true});
  CaseFinished event;
  event.result.name = "health.mode";
  event.result.outcome = Outcome::pass;
  event.result.warnings.emplace_back().key = "not_as_recommended";
  console->on(event);
  event.result.name = "health.ecc";
  event.result.warnings[0].key = "enabled";
  event.result.warnings.emplace_back().key = "corrected_errors";
  console->on(event);
  console->on(harness::RunFinished{});
  EXPECT_TRUE(stream.text().starts_with(
      "passed with a warning: health.mode (not_as_recommended); health.ecc (enabled, corrected_errors)\nPASSED  "))
      << stream.text();
}

TEST(QuietConsole, ShowsAComparisonThatWarnsOrFails) {
  const MemoryStream stream;
  harness::RunFinished end;
  end.comparisons.resize(3);
  end.comparisons[0].case_name = "gemm.speed";
  end.comparisons[0].verdict = "warn";
  end.comparisons[1].case_name = "gemm.digest";
  end.comparisons[1].verdict = "pass";
  end.comparisons[2].case_name = "memtest.pattern";
  end.comparisons[2].verdict = "fail";
  end.comparisons[2].values.emplace_back().verdict = "fail";
  make_console({.stream = stream.get(), .quiet = true})->on(end);
  EXPECT_NE(stream.text().find("gemm.speed"), std::string::npos) << stream.text();
  EXPECT_NE(stream.text().find("memtest.pattern"), std::string::npos) << stream.text();
  EXPECT_EQ(stream.text().find("gemm.digest"), std::string::npos) << stream.text();
}

TEST(Console, SaysWhatBoundARunThatWasLongOrIsShownWhole) {
  for (const auto& [duration_ms, verbose, says_so] :
       {std::tuple(9'000.0, false, false), {9'000.0, true, true}, {11'000.0, false, true}}) {
    const MemoryStream stream;
    const auto console = make_console({.stream = stream.get(), .verbose = verbose});
    console->on(harness::RunStarted{});
    harness::RunFinished end;
    end.duration_ms = duration_ms;
    end.device_times = {{.device = 0, .running_ms = duration_ms}};
    console->on(end);
    EXPECT_EQ(stream.text().find("time bound by") != std::string::npos, says_so) << stream.text();
  }
}

}  // namespace
}  // namespace gpucheck::report
