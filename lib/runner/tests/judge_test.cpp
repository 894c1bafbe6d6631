#include "runner/supervision/judge.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/case/execute.hpp"
#include "harness/result/failure_kinds.hpp"

namespace gpucheck::runner {
namespace {

using harness::CaseResult;
using harness::Execution;
using harness::Observations;
using harness::Outcome;
using Kind = RequestEnd::Kind;
using Keys = std::vector<std::string>;

golden::GoldenSet goldens() {
  static constexpr std::array files{
      golden::GoldenSet::File{"a/b.json", R"({"case": "a.b", "expect": {"answer": {"equals": 42, "basis": "math"}}})"}};
  return golden::GoldenSet::from_embedded(files);
}

/// A case "a.b" with one parameter.
const harness::Case& test_case() {
  static const harness::Case made = {
      .name = "a.b",
      .summary = "",
      .source = "",
      .parameters = {{.name = "given", .summary = "", .default_value = std::int64_t{1}},
                     {.name = "default", .summary = "", .default_value = std::int64_t{2}}}};
  return made;
}

CaseResult judged(RequestEnd end, const golden::GoldenSet& set = goldens(), const golden::Limits* limits = nullptr) {
  const PlannedCase planned{.test_case = &test_case(),
                            .settings = {.seed = 5, .fault = "lost", .parameters = {{"given", std::int64_t{7}}}},
                            .repetition = 3};
  return judge(planned, std::move(end), std::chrono::milliseconds(100), set, {.device_kind = "sim", .limits = limits});
}

RequestEnd ended(Kind kind) {
  RequestEnd end;
  end.kind = kind;
  return end;
}

RequestEnd completed(Observations seen, std::vector<harness::Mismatch> broken_rules = {}) {
  RequestEnd end = ended(Kind::replied);
  end.reply = FinishedReply{.sequence = 1,
                            .execution = {.status = Execution::Status::completed,
                                          .reason = {},
                                          .broken_rules = std::move(broken_rules),
                                          .duration_ms = 12}};
  end.observations = std::move(seen);
  return end;
}

const harness::Mismatch leak{.key = "rule.leak", .expected = "nothing", .seen = "4096 bytes", .basis = "rule"};
const harness::Mismatch race{.key = "rule.race", .expected = "order", .seen = "none", .basis = "rule"};
const Observations right{{"answer", std::int64_t{42}}};
const Observations wrong_answer{{"answer", std::int64_t{41}}};

Keys keys(const CaseResult& result) {
  Keys keys;
  for (const harness::Mismatch& mismatch : result.mismatches) keys.push_back(mismatch.key);
  return keys;
}

TEST(Judge, PassesWhatIsAsExpectedAndBreaksNoRule) {
  const CaseResult result = judged(completed(right));
  EXPECT_EQ(result.outcome, Outcome::pass);
  EXPECT_EQ(result.reason, "");
  EXPECT_EQ(result.duration_ms, 12);
  EXPECT_EQ(result.observations, right);
}

TEST(Judge, TellsEachReasonWhereThereAreSeveral) {
  const CaseResult both = judged(completed(wrong_answer, {leak, race}));
  EXPECT_EQ(both.outcome, Outcome::fail);
  EXPECT_EQ(keys(both), (Keys{"answer", "rule.leak", "rule.race"}));
  EXPECT_EQ(both.reason, "answer: expected 42, seen 41 (and 2 more)");
  const CaseResult rule = judged(completed(right, {leak}));
  EXPECT_EQ(rule.outcome, Outcome::fail);
  EXPECT_EQ(keys(rule), Keys{"rule.leak"});
  const CaseResult key = judged(completed(wrong_answer));
  EXPECT_EQ(key.outcome, Outcome::fail);
  EXPECT_EQ(keys(key), Keys{"answer"});
  EXPECT_EQ(keys(judged(completed({{"more", true}}, {leak}))), (Keys{"answer", "more", "rule.leak"}));
}

TEST(Judge, NeedsAGoldenFile) {
  const golden::GoldenSet none = golden::GoldenSet::from_embedded({});
  EXPECT_EQ(judged(completed(right), none).outcome, Outcome::fail);
  EXPECT_EQ(keys(judged(completed(right, {leak}), none)), (Keys{"golden", "rule.leak"}));
}

TEST(Judge, WhatWasMeasuredAndHasNoLimitIsNoPass) {
  static constexpr std::array files{golden::GoldenSet::File{
      "a/b.json", R"({"case": "a.b", "expect": {"answer": {"limit": true, "basis": "vendor"}}})"}};
  const golden::Limits none;
  const CaseResult result = judged(completed({{"answer", 41.5}}), golden::GoldenSet::from_embedded(files), &none);
  EXPECT_EQ(result.outcome, Outcome::error);
  EXPECT_NE(result.reason.find("answer cannot be judged"), std::string::npos) << result.reason;
}

TEST(Judge, AStateThatWarnsIsAPassWithTheWarning) {
  static constexpr std::array files{golden::GoldenSet::File{
      "a/b.json", R"({"case": "a.b", "expect": {"answer": {"equals": 42, "basis": "math", "warns": true}}})"}};
  const CaseResult result = judged(completed(wrong_answer), golden::GoldenSet::from_embedded(files));
  EXPECT_EQ(result.outcome, Outcome::pass);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].seen, "41");
  EXPECT_TRUE(is_marked(result));
  EXPECT_FALSE(is_marked(judged(completed(right))));
}

TEST(Judge, BelievesASkipAndAnError) {
  for (const auto& [status, outcome] :
       {std::pair(Execution::Status::skipped, Outcome::skip), {Execution::Status::error, Outcome::error}}) {
    RequestEnd end = completed(right);
    std::get<FinishedReply>(*end.reply).execution.status = status;
    std::get<FinishedReply>(*end.reply).execution.reason = "because";
    const CaseResult result = judged(std::move(end));
    EXPECT_EQ(result.outcome, outcome);
    EXPECT_EQ(result.reason, "because");
    EXPECT_EQ(result.observations, right) << "kept, and not judged";
    EXPECT_TRUE(result.mismatches.empty());
  }
}

/// How a program ended, and what it said.
CaseResult ended_program(Execution::Status status, harness::ProgramEnd program, std::string output,
                         std::string errors) {
  RequestEnd end = completed(right);
  Execution& execution = std::get<FinishedReply>(*end.reply).execution;
  execution.status = status;
  execution.reason = "it ended";
  execution.program = program;
  end.output_tail = std::move(output);
  end.error_tail = std::move(errors);
  return judged(std::move(end));
}

TEST(Judge, TellsHowAProgramEndedAndItsLastWords) {
  using Status = Execution::Status;
  const CaseResult crash = ended_program(Status::crashed, {.exit_code = 3, .signal = {}}, "out\n", "first\n last \n\n");
  EXPECT_EQ(crash.outcome, Outcome::crash);
  EXPECT_EQ(crash.exit_code, 3);
  EXPECT_EQ(crash.reason, "it ended: last");
  EXPECT_EQ(crash.observations, right);
  const CaseResult killed = ended_program(Status::crashed, {.exit_code = {}, .signal = 11}, "out", "");
  EXPECT_EQ(killed.outcome, Outcome::crash);
  EXPECT_EQ(killed.signal, 11);
  EXPECT_EQ(killed.reason, "it ended: out");
  const CaseResult skip = ended_program(Status::skipped, {.exit_code = 77, .signal = {}}, "", "no disk");
  EXPECT_EQ(skip.outcome, Outcome::skip);
  EXPECT_FALSE(skip.exit_code.has_value()) << "of crashes alone";
  EXPECT_EQ(skip.reason, "it ended: no disk");
  const CaseResult error = ended_program(Status::error, {.exit_code = 99, .signal = {}}, "", "\n \n");
  EXPECT_EQ(error.outcome, Outcome::error);
  EXPECT_EQ(error.reason, "it ended") << "it has said nothing";
  EXPECT_EQ(ended_program(Status::error, {}, "out", "err").reason, "it ended") << "not of a program";
}

// An error may have come of what a rule found: both are reported.
TEST(Judge, TellsTheRulesThatWereBrokenBeforeAnError) {
  RequestEnd end = completed(right, {leak, race});
  std::get<FinishedReply>(*end.reply).execution.status = Execution::Status::error;
  const CaseResult result = judged(std::move(end));
  EXPECT_EQ(result.outcome, Outcome::error);
  EXPECT_EQ(keys(result), (Keys{"rule.leak", "rule.race"}));
}

TEST(Judge, AnErrorOfTheHardwareIsAFailureHoweverTheCaseEnded) {
  const harness::Mismatch hardware{
      .key = "rule.no_new_hardware_errors", .expected = "none", .seen = "XID 79", .basis = "rule"};
  for (const auto status : {Execution::Status::skipped, Execution::Status::error, Execution::Status::completed}) {
    RequestEnd end = completed(right, {hardware});
    std::get<FinishedReply>(*end.reply).execution.status = status;
    std::get<FinishedReply>(*end.reply).execution.telemetry = {{.device = 0, .xids = {79}, .problem = ""}};
    const CaseResult result = judged(std::move(end));
    EXPECT_EQ(result.outcome, Outcome::fail);
    EXPECT_EQ(keys(result), Keys{"rule.no_new_hardware_errors"});
    EXPECT_EQ(result.telemetry.at(0).xids, std::vector<std::int64_t>{79});
  }
}

struct Ending {
  RequestEnd end;
  Outcome outcome;
  std::string reason;
};

TEST(Judge, MakesOfEachEndWhatItIs) {
  RequestEnd killed = ended(Kind::died);
  killed.process.signal = 9;
  RequestEnd left = ended(Kind::died);
  left.process.exit_code = 0;
  RequestEnd garbage = ended(Kind::broken_channel);
  garbage.reason = "wrote garbage";
  RequestEnd stuck = ended(Kind::deadline);
  stuck.abandoned = true;
  RequestEnd late = ended(Kind::deadline);
  late.extension_ms = 40;
  RequestEnd other = ended(Kind::replied);
  other.reply = PreparedReply{};
  for (const auto& [end, outcome, reason] : std::vector<Ending>{
           {killed, Outcome::crash, "killed by signal 9 (SIGKILL)"},
           {left, Outcome::crash, "the process exited with code 0 before the case had finished"},
           {ended(Kind::deadline), Outcome::hang, "not finished within its deadline of 100 ms"},
           {late, Outcome::hang,
            "not finished within its deadline of 100 ms, extended by 40 ms as it waited for a processor that long"},
           {stuck, Outcome::hang,
            "not finished within its deadline of 100 ms; the process could not be killed and was left behind"},
           {ended(Kind::closed_channel), Outcome::error,
            "the case's process closed its result pipe before it had finished"},
           {garbage, Outcome::error, "the case's process wrote garbage"},
           {other, Outcome::error, "the worker gave an answer to something else"}}) {
    RequestEnd after_all_was_seen = end;
    after_all_was_seen.observations = right;
    after_all_was_seen.elapsed_ms = 34;
    after_all_was_seen.output_tail = "out";
    after_all_was_seen.error_tail = "err";
    const CaseResult result = judged(after_all_was_seen);
    EXPECT_EQ(result.outcome, outcome) << reason << ": never a pass, whatever was seen before";
    EXPECT_EQ(result.reason, reason);
    EXPECT_EQ(result.duration_ms, 34);
    EXPECT_EQ(result.deadline_extension_ms, end.extension_ms);
    EXPECT_EQ(result.observations, right);
    EXPECT_EQ(result.output_tail, "out");
    EXPECT_EQ(result.error_tail, "err");
  }
  EXPECT_EQ(judged(killed).signal, 9);
  EXPECT_EQ(judged(left).exit_code, 0);
}

TEST(Judge, SaysWhatWasPlanned) {
  const CaseResult result = judged(completed(right));
  EXPECT_EQ(result.name, "a.b");
  EXPECT_EQ(result.seed, 5U);
  EXPECT_EQ(result.fault, "lost");
  EXPECT_EQ(result.repetition, 3);
  EXPECT_EQ(result.parameters, (harness::ParameterValues{{"default", std::int64_t{2}}, {"given", std::int64_t{7}}}));
}

// -- under an allocator library of the user's ----------------------------------------------

CaseResult judged_with_library(RequestEnd end, const std::string& name = "a.b") {
  harness::Case made = test_case();
  made.name = name;
  harness::RunSettings settings;
  settings.allocator = runtime::parse_allocator_choice("./mine.so");
  const PlannedCase planned{.test_case = &made, .settings = settings};
  return judge(planned, std::move(end), std::chrono::milliseconds(100), goldens(), {.device_kind = "sim"});
}

std::vector<std::string_view> kinds_of(const CaseResult& result) {
  std::vector<std::string_view> names;
  for (const harness::FailureKind* kind : harness::failures_of(result)) names.push_back(kind->name);
  return names;
}

TEST(JudgeOfALibrary, FailsItWithItsLastWordsForWhatEndsTheProcess) {
  RequestEnd threw = ended(Kind::died);
  threw.process.signal = 6;
  threw.error_tail = "terminate called after throwing an instance of 'std::runtime_error'\n  what():  no block\n";
  RequestEnd left = ended(Kind::died);
  left.process.exit_code = 0;
  for (const RequestEnd& end : {threw, left}) {
    const CaseResult result = judged_with_library(end);
    EXPECT_EQ(result.outcome, Outcome::fail);
    EXPECT_EQ(kinds_of(result), std::vector<std::string_view>{"allocator_library_failed"});
    EXPECT_NE(result.reason.find("./mine.so"), std::string::npos) << result.reason;
  }
  EXPECT_NE(judged_with_library(threw).reason.find("what():  no block"), std::string::npos);
}

TEST(JudgeOfALibrary, FailsItForWhatDoesNotReturnOrIsWrong) {
  const CaseResult stuck = judged_with_library(ended(Kind::deadline));
  EXPECT_EQ(stuck.outcome, Outcome::hang);
  EXPECT_EQ(kinds_of(stuck), std::vector<std::string_view>{"allocator_library_failed"});
  const CaseResult wrong = judged_with_library(completed(wrong_answer));
  EXPECT_EQ(wrong.outcome, Outcome::fail);
  EXPECT_EQ(kinds_of(wrong), std::vector<std::string_view>{"allocator_library_differs"});
}

TEST(JudgeOfALibrary, DoesNotFailItForWhatTheDriverReports) {
  const harness::Mismatch lost{.key = fmt::format("rule.{}", harness::hardware_rule),
                               .expected = "none",
                               .seen = "XID 79",
                               .basis = "rule",
                               .failure = "GC7001"};
  EXPECT_EQ(kinds_of(judged_with_library(completed(right, {lost}))),
            std::vector<std::string_view>{"hardware_error_reported"});
  const CaseResult health = judged_with_library(completed(wrong_answer), "health.ecc");
  EXPECT_EQ(std::ranges::count(kinds_of(health), "allocator_library_differs"), 0);
}

TEST(JudgeOfALibrary, DoesNotFailItForALimitOfTheMachine) {
  RequestEnd end = ended(Kind::died);
  end.process.signal = 9;
  end.environment = EnvironmentFault{"memory_limit", "the kernel killed its process"};
  const CaseResult result = judged_with_library(end);
  EXPECT_EQ(result.outcome, Outcome::error);
  EXPECT_EQ(kinds_of(result), std::vector<std::string_view>{"memory_limit"});
}

// -- limits of the machine ------------------------------------------------------------------

TEST(ExplainedErrors, NameTheLimitThatTheirWordsSpeakOf) {
  for (const auto& [words, failure] : std::vector<std::pair<std::string, std::string_view>>{
           {"cannot start the process: Resource temporarily unavailable", "process_limit"},
           {"std::bad_alloc: std::bad_alloc", "host_memory_refused"},
           {"cannot make a channel to a worker: Too many open files", "open_file_limit"},
           {"cannot write the trace x: No space left on device", "no_space"},
           {"cannot write the trace x: Disk quota exceeded", "no_space"},
           {"cannot write the trace x: File too large", "file_size_limit"},
           {"its worker ended before it was ready (killed by signal 25 (SIGXFSZ))", "file_size_limit"},
           {"the driver is lost", "not_judged"}}) {
    CaseResult result;
    result.outcome = Outcome::error;
    result.reason = words;
    explain_error(result);
    EXPECT_EQ(kinds_of(result), std::vector<std::string_view>{failure}) << words;
    EXPECT_EQ(result.outcome, Outcome::error);
  }
  CaseResult failed;
  failed.outcome = Outcome::fail;
  failed.reason = "std::bad_alloc";
  explain_error(failed);
  EXPECT_TRUE(failed.mismatches.empty()) << "what was judged stays";
}

}  // namespace
}  // namespace gpucheck::runner
