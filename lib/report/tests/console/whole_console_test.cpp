// All that the console says of small runs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "report/comparison_text.hpp"
#include "report/sinks.hpp"
#include "report/wording.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;

/// A case on each of two devices.
harness::RunStarted start_of_two() {
  harness::RunStarted start;
  start.version = "1.0";
  start.settings.seed = 7;
  start.jobs = 2;
  for (int index = 0; index < 2; ++index) {
    harness::DeviceIdentity& device = start.devices.emplace_back();
    device.index = device.ordinal = index;
    device.kind = "sim";
    device.name = "N";
  }
  start.selected = {{.name = "a.first", .devices = {0}}, {.name = "a.second", .devices = {1}}};
  start.total = 2;
  return start;
}

harness::CaseFinished passed_on(const std::string& name, std::vector<int> devices) {
  harness::CaseFinished event;
  event.result.name = name;
  event.result.devices = std::move(devices);
  event.result.outcome = Outcome::pass;
  event.result.duration_ms = 12;
  event.finished = event.total = 1;
  return event;
}

harness::RunFinished end_of_two() {
  harness::RunFinished end;
  end.counts.pass = 2;
  end.duration_ms = 9000;
  return end;
}

/// What is said of the start, both cases and the end.
std::string said(const ConsoleOptions& wanted, const harness::RunStarted& start,
                 const std::vector<harness::CaseFinished>& results, const harness::RunFinished& end) {
  const MemoryStream stream;
  ConsoleOptions options = wanted;
  options.stream = stream.get();
  const auto console = make_console(options);
  console->on(start);
  for (const harness::CaseFinished& one : results) console->on(one);
  console->on(end);
  return stream.text();
}

std::vector<harness::CaseFinished> two_passes() { return {passed_on("a.first", {0}), passed_on("a.second", {1})}; }

ConsoleOptions quietly() {
  ConsoleOptions options{};
  options.quiet = true;
  return options;
}

const std::string head_of_two =
    "gpucheck 1.0: 2 results on 2 devices (sim, N), seed 7, 2 jobs on each\n"
    "device 0: N (sim:0)\ndevice 1: N (sim:1)\n\n";
const std::string lines_of_two =
    "PASS   a.first   device 0          12 ms\nPASS   a.second  device 1          12 ms\n\n";
const std::string end_lines_of_two =
    "device 0: PASSED      1 passed\ndevice 1: PASSED      1 passed\nPASSED  2 passed; 9.0 s on 2 devices (sim, N)\n";

TEST(WholeConsole, OfTwoDevicesIsThisText) {
  EXPECT_EQ(said({}, start_of_two(), two_passes(), end_of_two()), head_of_two + lines_of_two + end_lines_of_two);
  EXPECT_EQ(said(quietly(), start_of_two(), two_passes(), end_of_two()),
            "PASSED  2 passed; 9.0 s on 2 devices (sim, N)\n");
}

TEST(WholeConsole, OfOneDeviceIsThisText) {
  harness::RunStarted start = start_of_two();
  start.devices.pop_back();
  start.devices[0].note = "a\nnote";
  start.devices[0].problem = "fell off";
  start.selected.pop_back();
  start.total = 1;
  start.jobs = 1;
  harness::RunFinished end = end_of_two();
  end.counts = {.pass = 1, .not_run = 2};
  end.not_run = {{.name = "a.lost", .devices = {0}}, {.name = "a.never", .devices = {0}}};
  end.running = {{.name = "a.lost", .devices = {0}}};
  end.incomplete = "the run was killed";
  end.exit_code = 3;
  EXPECT_EQ(said({}, start, {passed_on("a.first", {0})}, end),
            "gpucheck 1.0: 1 case on N (sim:0), seed 7, 1 job\n"
            "cannot be used: fell off\na note\n\n"
            "PASS   a.first       12 ms\n\n"
            "not run: a.lost, a.never\nunder way at the end: a.lost\nthe run was killed\n"
            "NOT JUDGED  1 passed, 2 not run; 9.0 s on N (sim:0)\n");
  EXPECT_EQ(said(quietly(), start, {passed_on("a.first", {0})}, end),
            "a note\nfell off\nunder way at the end: a.lost\nthe run was killed\n"
            "NOT JUDGED  1 passed, 2 not run; 9.0 s on N (sim:0)\n");
}

TEST(WholeConsole, OfAnInterruptedRunSaysSo) {
  harness::RunFinished end = end_of_two();
  end.interrupted_by_signal = 2;
  end.exit_code = 130;
  EXPECT_TRUE(
      said({}, start_of_two(), two_passes(), end).ends_with("\nINTERRUPTED  2 passed; 9.0 s on 2 devices (sim, N)\n"));
}

TEST(WholeConsole, SaysWhereTheTimeWentOfALongRun) {
  harness::RunFinished end = end_of_two();
  end.device_times = {{.device = 0, .running_ms = 10, .processes = 1}, {.device = 1, .running_ms = 5}};
  const std::string line = bound_text(*bound_of(end.device_times)) + "\n";
  const auto says_it = [&](const ConsoleOptions& options, double duration_ms) {
    end.duration_ms = duration_ms;
    return said(options, start_of_two(), two_passes(), end).find(line) != std::string::npos;
  };
  ConsoleOptions verbose{};
  verbose.verbose = true;
  EXPECT_FALSE(says_it({}, 10'000));
  EXPECT_TRUE(says_it({}, 10'000.5));
  EXPECT_TRUE(says_it(verbose, 1));
  EXPECT_FALSE(says_it(quietly(), 20'000));
}

TEST(WholeConsole, OfAQuietRunNamesThePassesWithAWarningTogether) {
  std::vector<harness::CaseFinished> results = two_passes();
  results[0].result.warnings = {{"one", "1", "2", "vendor", "GC1003"}, {"two", "1", "2", "vendor", "GC1003"}};
  results[1].result.warnings = {{"three", "1", "2", "vendor", "GC1003"}};
  EXPECT_EQ(said(quietly(), start_of_two(), results, end_of_two()),
            "passed with a warning: a.first on device 0 (one, two); a.second on device 1 (three)\n"
            "PASSED  2 passed; 9.0 s on 2 devices (sim, N)\n");
}

TEST(WholeConsole, SaysOnceInAQuietRunWhatIsSoOfSeveralDevices) {
  harness::RunStarted start = start_of_two();
  start.devices[0].note = start.devices[1].note = "no driver: using the simulator";
  start.devices[1].problem = "fell off";
  const std::string text = said(quietly(), start, {}, end_of_two());
  EXPECT_TRUE(text.starts_with("no driver: using the simulator\nfell off\n")) << text;
  EXPECT_EQ(text.find("simulator", text.find("simulator") + 1), std::string::npos) << text;
}

TEST(WholeConsole, ShowsInAQuietRunTheComparisonsThatAreNotGood) {
  for (const auto& [verdict, is_shown] : {std::pair("pass", false), {"warn", true}, {"fail", true}}) {
    harness::Comparison comparison;
    comparison.case_name = "gemm.bf16";
    comparison.key = "gflops";
    comparison.model = "N";
    comparison.verdict = verdict;
    comparison.reason = "device 1 is slower";
    comparison.values = {{.device = 0, .value = 2.0, .verdict = "pass"},
                         {.device = 1, .value = 1.0, .verdict = verdict}};
    harness::RunFinished end = end_of_two();
    end.comparisons = {comparison};
    const std::string text = comparison_text(comparison, plain_device_name, {});
    EXPECT_EQ(text.empty(), !is_shown) << verdict;
    for (const ConsoleOptions& options : {ConsoleOptions{}, quietly()}) {
      const std::string all = said(options, start_of_two(), two_passes(), end);
      EXPECT_EQ(all.find("gemm.bf16.gflops of N: device 1 is slower") != std::string::npos, is_shown) << verdict;
      EXPECT_NE(all.find(text), std::string::npos) << verdict;
    }
  }
}

TEST(WholeConsole, LeavesRoomForTheNumbersOfRepetitions) {
  const auto line_with = [](std::size_t total, int repetition, const std::string& longest) {
    harness::RunStarted start = start_of_two();
    start.devices.pop_back();
    start.selected = {{.name = longest, .devices = {0}, .repetition = repetition}};
    start.total = total;
    const std::string text = said({}, start, {passed_on("a.b", {0})}, end_of_two());
    const std::size_t begin = text.find("PASS   a.b");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  const auto line_of = [](std::size_t width) {
    return "PASS   a.b" + std::string(width - 3, ' ') + "  " + "     12 ms";
  };
  EXPECT_EQ(line_with(1, 0, "a.long"), line_of(6));
  EXPECT_EQ(line_with(2, 0, "a.long"), line_of(9)) << "later repetitions come";
  EXPECT_EQ(line_with(1, 1, "a.long"), line_of(9));
  EXPECT_EQ(line_with(2, 0, std::string(45, 'x')), line_of(48));
  EXPECT_EQ(line_with(2, 0, std::string(46, 'x')), line_of(48));
  EXPECT_EQ(line_with(1, 0, std::string(60, 'x')), line_of(48));
}

}  // namespace
}  // namespace gpucheck::report
