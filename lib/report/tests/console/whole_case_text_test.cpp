// All lines of a finished case, as the console shows them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "harness/result/failure_kinds.hpp"
#include "report/case_text.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseResult;
using harness::Outcome;

CaseResult short_result(Outcome outcome) {
  CaseResult result;
  result.name = "a.b";
  result.devices = {0};
  result.outcome = outcome;
  result.duration_ms = 12;
  return result;
}

/// As they stand below a case, each on a line of its own.
std::string indented(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "       " + line + "\n";
  return text;
}

std::string steps_of(const CaseResult& result) {
  std::vector<std::string> lines;
  for (const harness::FailureKind* kind : harness::failures_of(result)) lines.push_back(next_step_text(*kind));
  return indented(lines);
}

std::string step_of(std::string_view code) { return next_step_text(*harness::find_failure_kind(code)); }

TEST(CaseLine, AlignsNameDeviceAndTime) {
  const CaseResult result = short_result(Outcome::pass);
  EXPECT_EQ(case_text(result, {}), "PASS   a.b       12 ms\n");
  EXPECT_EQ(case_text(result, {.palette = {}, .name_width = 2}), "PASS   a.b       12 ms\n");
  EXPECT_EQ(case_text(result, {.palette = {}, .name_width = 3}), "PASS   a.b       12 ms\n");
  EXPECT_EQ(case_text(result, {.palette = {}, .name_width = 5}), "PASS   a.b         12 ms\n");
  EXPECT_EQ(case_text(result, {.palette = {}, .name_width = 5, .show_devices = true}),
            "PASS   a.b    device 0          12 ms\n");
  CaseResult of_machine = result;
  of_machine.devices = {};
  EXPECT_EQ(case_text(of_machine, {.palette = {}, .show_devices = true}), "PASS   a.b  machine           12 ms\n");
}

/// What is changed in a plain result, and what its first line says then.
struct Remark {
  Outcome outcome;
  void (*change)(CaseResult&);
  std::string word;
  std::string remark;
  std::string colour;
};
void PrintTo(const Remark& remark, std::ostream* out) { *out << remark.word << remark.remark; }

class CaseRemark : public testing::TestWithParam<Remark> {};

TEST_P(CaseRemark, StandsBehindTheTime) {
  const Remark& expected = GetParam();
  CaseResult result = short_result(expected.outcome);
  expected.change(result);
  const auto first_line = [&](const CaseTextOptions& options) {
    const std::string text = case_text(result, options);
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(first_line({}), expected.word + "  a.b       12 ms" + expected.remark);
  EXPECT_EQ(first_line({.palette = {.enabled = true}}),
            expected.colour + expected.word + "\x1b[0m  a.b       12 ms" + expected.remark);
}

constexpr const char* good = "\x1b[32m";
constexpr const char* bad = "\x1b[1;31m";
constexpr const char* doubtful = "\x1b[33m";

void wait_for_a_processor(CaseResult& result) { result.deadline_extension_ms = 1500; }
void leave_as_it_is(CaseResult& /*result*/) {}

INSTANTIATE_TEST_SUITE_P(
    Kinds, CaseRemark,
    testing::Values(
        Remark{Outcome::pass, leave_as_it_is, "PASS ", "", good},
        Remark{Outcome::pass, wait_for_a_processor, "PASS ",
               "  1.5 s beyond its deadline: it waited for a processor that long", good},
        Remark{Outcome::fail, wait_for_a_processor, "FAIL ", "", bad},
        Remark{Outcome::error, leave_as_it_is, "ERROR", "", bad},
        Remark{Outcome::crash, leave_as_it_is, "CRASH", "", bad},
        Remark{Outcome::hang, leave_as_it_is, "HANG ", "", bad},
        Remark{Outcome::skip, [](CaseResult& result) { result.reason = "needs 2 devices"; }, "SKIP ",
               "  needs 2 devices", doubtful},
        Remark{Outcome::hang,
               [](CaseResult& result) {
                 result.waiver = {"a.*", "any", "known", "team", "2026-12-31"};
               },
               "HANG ", "  waived by team until 2026-12-31: known", doubtful},
        Remark{Outcome::pass,
               [](CaseResult& result) {
                 result.flaky = true;
                 result.earlier_attempts = {{Outcome::fail, "x", 1}, {Outcome::hang, "y", 2}};
               },
               "FLAKY", "  passed on attempt 3", doubtful},
        Remark{Outcome::pass,
               [](CaseResult& result) {
                 result.warnings = {{"one", "1", "2", "vendor", "GC1003"}, {"two", "1", "2", "vendor", "GC1003"}};
               },
               "WARN ", "  passed with a warning: one, two", doubtful},
        Remark{Outcome::fail,
               [](CaseResult& result) {
                 result.warnings = {{"one", "1", "2", "vendor", "GC1003"}};
               },
               "FAIL ", "", bad},
        Remark{Outcome::pass,
               [](CaseResult& result) {
                 result.measurements = {{.key = "gbps", .value = 5, .verdict = "warn", .source = ""}};
               },
               "WARN ", "  passed, but not by much: see what is marked", doubtful}));

TEST(CaseLines, OfAFailureAreTheTableAndNotTheReason) {
  CaseResult result = short_result(Outcome::fail);
  result.reason = "count: expected 1, seen 2";
  result.mismatches = {{"count", "1", "2", "math", "GC2001"}};
  result.rerun_command = "gpucheck run a.b";
  EXPECT_EQ(case_text(result, {}), "FAIL   a.b       12 ms\n" +
                                       indented({"key    expected  seen  basis", "count  1         2     math"}) +
                                       steps_of(result) + indented({"rerun: gpucheck run a.b"}));
}

TEST(CaseLines, OfAFailureWithoutATableAreTheReason) {
  CaseResult result = short_result(Outcome::fail);
  result.reason = "something else";
  EXPECT_EQ(case_text(result, {}), "FAIL   a.b       12 ms\n" + indented({"something else"}) + steps_of(result));
}

TEST(CaseLines, OfWhatWasNotJudgedAreTheReasonAndTheTable) {
  for (const auto& [outcome, word] :
       {std::pair(Outcome::error, "ERROR"), {Outcome::crash, "CRASH"}, {Outcome::hang, "HANG "}}) {
    CaseResult result = short_result(outcome);
    result.reason = "gone";
    result.mismatches = {{"count", "1", "2", "math", "GC2001"}};
    EXPECT_EQ(case_text(result, {}),
              word + std::string("  a.b       12 ms\n") +
                  indented({"gone", "key    expected  seen  basis", "count  1         2     math"}) + steps_of(result));
  }
}

TEST(CaseLines, ShowBothOutputsOfAFailureAndNoneOfAPassOrASkip) {
  for (const Outcome outcome : {Outcome::fail, Outcome::pass, Outcome::skip}) {
    CaseResult result = short_result(outcome);
    result.reason = outcome == Outcome::pass ? "" : "why";
    result.output_tail = "said\n\nmore";
    result.error_tail = "\x1b[31mcomplained\x1b[0m\n";
    result.rerun_command = "gpucheck run a.b";
    const std::string text = case_text(result, {});
    const std::string rest = text.substr(text.find('\n') + 1);
    const std::string expected =
        indented({"why", "stdout | said", "stdout | ", "stdout | more", "stderr | complained"}) + steps_of(result) +
        indented({"rerun: gpucheck run a.b"});
    EXPECT_EQ(rest, outcome == Outcome::fail ? expected : "");
  }
}

TEST(CaseLines, ShowTenLinesOfOutputAndThreeHundredCharactersOfEach) {
  CaseResult result = short_result(Outcome::fail);
  result.reason = "why";
  const std::string fitting(300, 'x');
  std::vector<std::string> shown{"why"};
  result.output_tail = "left out\n";
  for (int line = 1; line <= 8; ++line) {
    result.output_tail += fmt::format("line {}\n", line);
    shown.push_back(fmt::format("stdout | line {}", line));
  }
  result.output_tail += fitting + "\n" + fitting + "x\n";
  shown.push_back("stdout | " + fitting);
  shown.push_back("stdout | " + fitting.substr(1) + "\u2026");
  EXPECT_EQ(case_text(result, {}), "FAIL   a.b       12 ms\n" + indented(shown) + steps_of(result));
}

TEST(CaseLines, NumberTheAttemptsThatFailed) {
  CaseResult result = short_result(Outcome::pass);
  result.flaky = true;
  result.earlier_attempts = {{Outcome::fail, "two\nlines", 1}, {Outcome::hang, "late", 1500}};
  EXPECT_EQ(case_text(result, {}),
            "FLAKY  a.b       12 ms  passed on attempt 3\n" +
                indented({"attempt 1: fail after 1.0 ms: two lines", "attempt 2: hang after 1.5 s: late"}));
}

TEST(CaseLines, AlignObservationsWhenVerboseOnly) {
  CaseResult result = short_result(Outcome::pass);
  result.observations = {{"a_longer_key", std::int64_t{7}}, {"key", true}};
  EXPECT_EQ(case_text(result, {}), "PASS   a.b       12 ms\n");
  EXPECT_EQ(case_text(result, {.palette = {}, .verbose = true}),
            "PASS   a.b       12 ms\n" + indented({"a_longer_key = 7", "key          = true"}));
}

TEST(CaseLines, AlignMeasurementsAndSayWhichDeviceWasNotIdle) {
  CaseResult result = short_result(Outcome::pass);
  result.measurements = {{.key = "gbps", .value = 5, .verdict = "pass", .source = ""},
                         {.key = "longer", .value = 6, .verdict = "pass", .source = ""}};
  const auto telemetry = [](int device, bool is_idle) {
    harness::GpuTelemetry gpu;
    gpu.device = device;
    gpu.before = harness::IdleReport{};
    gpu.before->is_idle = is_idle;
    gpu.before->waited_ms = 5000;
    gpu.before->reason = "utilization is 40 %";
    return gpu;
  };
  harness::GpuTelemetry unseen;
  unseen.device = 3;
  result.telemetry = {telemetry(0, true), telemetry(1, false), unseen};
  EXPECT_EQ(case_text(result, {}),
            "PASS   a.b       12 ms\n" + indented({"gbps   = 5", "longer = 6",
                                                   "device 1 was not seen idle in 5.0 s before: utilization is 40 %"}));
}

TEST(CaseLines, HaveTheWarningsBeforeTheFailure) {
  CaseResult result = short_result(Outcome::fail);
  result.mismatches = {{"bad", "1", "2", "math", "GC2001"}};
  result.warnings = {{"odd", "1", "2", "math", "GC1003"}};
  EXPECT_EQ(case_text(result, {}),
            "FAIL   a.b       12 ms\n" +
                indented({"key  expected  seen  basis", "odd  1         2     math", "warning: " + step_of("GC1003"),
                          "key  expected  seen  basis", "bad  1         2     math"}) +
                steps_of(result));
}

// As a table the three rows take 26 columns, and seven stand before them.
TEST(CaseLines, SetTablesByTheWidthThatTheMarginLeaves) {
  for (const bool warns : {false, true}) {
    CaseResult result = short_result(warns ? Outcome::pass : Outcome::fail);
    (warns ? result.warnings : result.mismatches) = {{"key", "1", "2", "math", "GC1003"}};
    const auto is_stacked = [&](std::size_t width) {
      return case_text(result, {.palette = {}, .line_width = width}).find("key (basis: math)\n") != std::string::npos;
    };
    EXPECT_FALSE(is_stacked(33));
    EXPECT_TRUE(is_stacked(32));
    for (const std::size_t narrow : {8U, 7U, 6U, 0U}) EXPECT_TRUE(is_stacked(narrow)) << narrow;
  }
}

}  // namespace
}  // namespace gpucheck::report
