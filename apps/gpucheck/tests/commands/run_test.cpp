#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<std::string>;

/// Runs on the simulator with the report on stdout.
struct SimulatorRun {
  explicit SimulatorRun(Words arguments) {
    arguments.insert(arguments.end(), {"--device", "sim", "--json", "-"});
    result = fixture(arguments);
    document = json::parse(result.output, nullptr, false);
  }
  [[nodiscard]] const json& only_case() const { return document["cases"].at(0); }
  CommandResult result;
  json document;
};

TEST(Run, PassesWithCodeZero) {
  const SimulatorRun run({"run", "proof.watchful"});
  EXPECT_EQ(run.result.exit_code, 0) << run.result.error_output;
  EXPECT_EQ(run.only_case()["outcome"], "pass");
}

TEST(Run, MismatchFails) {
  const SimulatorRun run({"run", "demo.wrong"});
  EXPECT_EQ(run.result.exit_code, 1);
  EXPECT_EQ(run.only_case()["outcome"], "fail");
  EXPECT_EQ(run.only_case()["mismatches"].at(0)["key"], "answer");
}

TEST(Run, CaseWithoutGoldenFails) {
  const SimulatorRun run({"run", "demo.no_golden"});
  EXPECT_EQ(run.result.exit_code, 1);
  EXPECT_EQ(run.only_case()["outcome"], "fail");
}

TEST(Run, CrashAndHangFail) {
  const SimulatorRun run({"run", "bad", "--timeout", "300ms"});
  EXPECT_EQ(run.result.exit_code, 1);
  EXPECT_EQ(run.document["cases"].at(0)["outcome"], "crash");
  EXPECT_EQ(run.document["cases"].at(1)["outcome"], "hang");
}

TEST(Run, GoldenWithoutCaseFailsInEveryReport) {
  const TemporaryFolder folder;
  const SimulatorRun whole({"run", "--exclude", "bad", "--exclude", "demo.wrong", "--exclude", "demo.no*", "--exclude",
                            "blind", "--junit", folder / "whole.xml"});
  EXPECT_EQ(whole.result.exit_code, 1);
  ASSERT_TRUE(whole.document.is_object()) << whole.result.output;
  bool found = false;
  for (const json& entry : whole.document["cases"]) found |= entry["name"] == "demo.lost" && entry["outcome"] == "fail";
  EXPECT_TRUE(found);
  EXPECT_THAT(read_file(folder / "whole.xml"), HasSubstr("lost"));
  EXPECT_THAT(whole.result.error_output, HasSubstr("demo.lost"));
}

TEST(Run, GoldenWithoutCaseIsLeftOutByItsName) {
  const SimulatorRun run({"run", "demo.parameters", "demo.lost", "--exclude", "demo.lost"});
  EXPECT_EQ(run.result.exit_code, 0) << run.result.error_output;
  EXPECT_EQ(run.only_case()["name"], "demo.parameters");
  for (const char* command : {"list", "prove"}) {
    EXPECT_EQ(fixture({command, "proof.watchful", "--exclude", "demo.lost"}).exit_code, 0) << command;
  }
}

TEST(Run, SaysInItsReportsThatNothingWasToBeDone) {
  for (const auto& [meaning, expected] : {std::pair("pass", 0), {"warn", 0}, {"fail", 3}}) {
    for (const Words& selection :
         {Words{"demo.parameters", "--exclude", "demo.parameters"}, Words{"demo.parameters", "--shard", "2/2"}}) {
      const TemporaryFolder folder;
      Words words{"run"};
      words.insert(words.end(), selection.begin(), selection.end());
      words.insert(words.end(), {"--no-cases", meaning, "--device", "sim", "--json", folder / "r.json", "--junit",
                                 folder / "r.xml"});
      const CommandResult result = fixture(words);
      EXPECT_EQ(result.exit_code, expected) << result.error_output;
      EXPECT_EQ(result.error_output.empty(), std::string(meaning) == "pass") << result.error_output;
      const json document = json::parse(read_file(folder / "r.json"));
      EXPECT_EQ(document["exit_code"], expected);
      EXPECT_TRUE(document["cases"].empty());
      EXPECT_THAT(read_file(folder / "r.xml"), HasSubstr("<testsuites"));
      const CommandResult again = fixture({"report", folder / "r.json.journal", "--json", folder / "again.json"});
      EXPECT_EQ(again.exit_code, expected) << again.error_output;
      EXPECT_EQ(read_file(folder / "again.json"), read_file(folder / "r.json"));
    }
  }
  EXPECT_EQ(fixture({"run", "demo.parameters", "--exclude", "demo.parameters", "--device", "sim"}).exit_code, 3);
  EXPECT_EQ(fixture({"run", "--no-cases", "perhaps"}).exit_code, 2);
}

TEST(Run, LeavesOutEveryNameThatFollowsExclude) {
  const SimulatorRun run(
      {"run", "demo.parameters", "bad.crashes", "bad.hangs", "--exclude", "bad.crashes", "bad.hangs"});
  EXPECT_EQ(run.result.exit_code, 0) << run.result.error_output;
  EXPECT_EQ(run.only_case()["name"], "demo.parameters");
}

TEST(Run, GoldenWithoutCaseIsNoSkip) {
  for (const char* chosen : {"0", "77"}) {
    const Words skip{"run", "skipped.moon", "--skip-exit-code", chosen};
    EXPECT_EQ(SimulatorRun(skip).result.exit_code, std::stoi(chosen));
    Words with_orphan = skip;
    with_orphan.insert(with_orphan.begin() + 1, "demo.lost");
    const SimulatorRun run(with_orphan);
    EXPECT_EQ(run.result.exit_code, 1);
    EXPECT_EQ(run.document["exit_code"], 1);
    EXPECT_THAT(run.result.error_output, HasSubstr("FAILED  1 failed, 1 skipped"));
  }
}

TEST(Run, GoldenWithoutCaseIsOfOneShard) {
  const SimulatorRun first({"run", "proof.watchful", "demo.lost", "--shard", "1/2"});
  const SimulatorRun second({"run", "proof.watchful", "demo.lost", "--shard", "2/2"});
  EXPECT_EQ(first.result.exit_code, 0) << first.result.error_output;
  EXPECT_EQ(first.only_case()["name"], "proof.watchful");
  EXPECT_EQ(second.result.exit_code, 1);
  EXPECT_EQ(second.only_case()["name"], "demo.lost");
  EXPECT_EQ(second.document["cases"].size(), 1U);
}

TEST(Run, FailFastStopsAtAGoldenWithoutCase) {
  const SimulatorRun run({"run", "proof.watchful", "demo.lost", "--fail-fast"});
  EXPECT_EQ(run.result.exit_code, 1);
  EXPECT_EQ(run.only_case()["name"], "demo.lost");
  EXPECT_EQ(run.document["not_run"].at(0)["name"], "proof.watchful");
}

TEST(Run, GoldenWithoutCaseCanBeWaivedAndRunAgain) {
  const TemporaryFolder folder;
  write_file(folder / "waivers.json",
             R"({"waivers": [{"case": "demo.lost", "device": "any", "reason": "on its way back",
                                         "owner": "me", "expires": "2999-12-31"}]})");
  const SimulatorRun run({"run", "proof.watchful", "demo.lost", "--waivers", folder / "waivers.json", "--repeat", "2"});
  EXPECT_EQ(run.result.exit_code, 0) << run.result.error_output;
  ASSERT_EQ(run.document["cases"].size(), 3U) << "the orphan once";
  const json& orphan = run.only_case();
  EXPECT_EQ(orphan["outcome"], "fail");
  EXPECT_EQ(orphan["waiver"]["owner"], "me");
  EXPECT_EQ(orphan["devices"], json::array());
  EXPECT_EQ(orphan["rerun_command"], "gpucheck run demo.lost --device sim --seed 0");
  EXPECT_EQ(SimulatorRun({"run", "demo.lost"}).result.exit_code, 1);
}

TEST(Run, OnlySkipsAreNotJudged) {
  const SimulatorRun run({"run", "skipped"});
  EXPECT_EQ(run.result.exit_code, 3);
}

TEST(Run, SkipExitCodeIsForSkipsAlone) {
  EXPECT_EQ(SimulatorRun({"run", "skipped", "--skip-exit-code", "77"}).result.exit_code, 77);
  EXPECT_EQ(SimulatorRun({"run", "skipped", "demo.wrong", "--skip-exit-code", "77"}).result.exit_code, 1);
  EXPECT_EQ(SimulatorRun({"run", "skipped", "proof.watchful", "--skip-exit-code", "77"}).result.exit_code, 0);
}

TEST(Run, TooManySkipsAreNotJudged) {
  EXPECT_EQ(SimulatorRun({"run", "skipped", "proof.watchful", "--max-skips", "2"}).result.exit_code, 0);
  EXPECT_EQ(SimulatorRun({"run", "skipped", "proof.watchful", "--max-skips", "1"}).result.exit_code, 3);
}

TEST(Run, TakesParameters) {
  const SimulatorRun run({"run", "demo.parameters", "-p", "count=8", "-p", "careful=true"});
  EXPECT_EQ(run.result.exit_code, 0) << run.result.error_output;
  EXPECT_EQ(run.only_case()["observations"]["count"], 8);
  EXPECT_EQ(run.only_case()["observations"]["careful"], true);
}

TEST(Run, OneParameterGivenTwiceIsRejected) {
  const CommandResult result = fixture({"run", "demo.parameters", "-p", "count=7", "-p", "count=8", "--device", "sim"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, HasSubstr("the parameter count is given twice"));
}

TEST(Run, FaultTurnsTheCaseRed) {
  const SimulatorRun run({"run", "proof.watchful", "--fault", "allocation_fails"});
  EXPECT_EQ(run.result.exit_code, 1);
  EXPECT_EQ(run.only_case()["fault"], "allocation_fails");
}

TEST(Run, RepeatsAndShards) {
  EXPECT_EQ(SimulatorRun({"run", "proof.watchful", "--repeat", "3"}).document["cases"].size(), 3U);
  const SimulatorRun first({"run", "skipped", "--shard", "1/2"});
  const SimulatorRun second({"run", "skipped", "--shard", "2/2"});
  EXPECT_EQ(first.only_case()["name"], "skipped.crowd");
  EXPECT_EQ(second.only_case()["name"], "skipped.moon");
}

TEST(Run, IsolatesByProcessOnRequest) {
  EXPECT_EQ(SimulatorRun({"run", "proof", "--isolate", "process"}).result.exit_code, 0);
}

TEST(Run, ReportOnStdoutMovesTheConsoleToStderr) {
  const SimulatorRun run({"run", "demo.wrong"});
  EXPECT_TRUE(run.document.is_object()) << run.result.output;
  EXPECT_THAT(run.result.error_output, HasSubstr("demo.wrong"));
}

TEST(Run, ConsoleIsOnStdoutOtherwise) {
  const CommandResult result = fixture({"run", "demo.wrong", "--device", "sim"});
  EXPECT_THAT(result.output, AllOf(HasSubstr("demo.wrong"), HasSubstr("41"), HasSubstr("42")));
}

TEST(Run, ColourOnlyOnRequestOffATerminal) {
  EXPECT_THAT(fixture({"run", "demo.wrong", "--device", "sim"}).output, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(fixture({"run", "demo.wrong", "--device", "sim", "--color", "always"}).output, HasSubstr("\x1b["));
  EXPECT_THAT(fixture({"run", "demo.wrong", "--device", "sim", "--color", "never"}).output, Not(HasSubstr("\x1b[")));
}

TEST(Run, AReportThatCannotBeWrittenAtTheEndCostsNoOther) {
  const TemporaryFolder folder;
  const CommandResult result =
      fixture({"run", "proof.watchful", "--device", "sim", "--json", "/dev/full", "--junit", folder / "report.xml"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.output, HasSubstr("1 passed"));
  EXPECT_THAT(result.error_output, HasSubstr("cannot write the report /dev/full"));
  EXPECT_THAT(read_file(folder / "report.xml"), HasSubstr("</testsuites>"));
}

TEST(Run, UnwritableReportIsSaidBeforeTheFirstCase) {
  const CommandResult result = fixture({"run", "bad.crashes", "--device", "sim", "--junit", "/nonexistent/r.xml"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(result.error_output, HasSubstr("/nonexistent/r.xml"));
}

TEST(Run, GoldenDirectoryReplacesTheBuiltIn) {
  const TemporaryFolder folder;
  write_file(folder / "demo/wrong.json",
             R"({"case": "demo.wrong", "expect": {"answer": {"equals": 41, "basis": "math"}}})");
  EXPECT_EQ(SimulatorRun({"run", "demo.wrong", "--golden", folder.path()}).result.exit_code, 0);
  EXPECT_EQ(SimulatorRun({"run", "demo.parameters", "--golden", folder.path()}).result.exit_code, 1)
      << "no golden there";
}

TEST(Group, TakesParametersAsOptions) {
  const SimulatorRun run({"demo", "parameters", "--count", "7", "--careful", "--seed", "11"});
  EXPECT_EQ(run.result.exit_code, 0) << run.result.error_output;
  EXPECT_EQ(run.only_case()["observations"], (json{{"count", 7}, {"careful", true}, {"seed", 11}}));
}

TEST(Group, FlagCanBeTurnedOff) {
  EXPECT_EQ(SimulatorRun({"demo", "parameters", "--no-careful"}).only_case()["observations"]["careful"], false);
}

TEST(Group, RunsOwnSeedHasAnotherNameWhereTaken) {
  const SimulatorRun run({"demo", "parameters", "--seed", "11", "--run-seed", "5"});
  EXPECT_EQ(run.only_case()["observations"]["seed"], 11);
  EXPECT_EQ(run.document["seed"], 5);
  EXPECT_EQ(SimulatorRun({"demo", "wrong", "--seed", "6"}).document["seed"], 6);
}

TEST(Workers, HiddenCommandsWithoutTheirOptionsAreUsage) {
  EXPECT_EQ(fixture({"worker"}).exit_code, 2);
  EXPECT_EQ(fixture({"child"}).exit_code, 2);
  EXPECT_EQ(fixture({"child", "--request", "{}"}).exit_code, 2);
}

/// A rerun line's words but for the program's name; none of these tests' needs quotes.
Words words_of(const std::string& command) {
  std::istringstream stream(command);
  Words words{std::istream_iterator<std::string>(stream), {}};
  words.erase(words.begin());
  return words;
}

TEST(Rerun, EndsAsTheRunDid) {
  for (const Words& arguments : {Words{"run", "proof.watchful", "--fault", "allocation_fails"},
                                 {"run", "bad.hangs", "--timeout", "300ms", "--isolate", "process"},
                                 {"run", "demo.parameters", "-p", "count=7"}}) {
    const SimulatorRun run(arguments);
    const std::string command = run.only_case()["rerun_command"];
    Words again = words_of(command);
    again.insert(again.end(), {"--json", "-"});
    const CommandResult result = fixture(again);
    EXPECT_EQ(result.exit_code, run.result.exit_code) << command;
    const json one = json::parse(result.output)["cases"].at(0);
    for (const char* key : {"outcome", "fault", "parameters", "rerun_command"}) {
      EXPECT_EQ(one.value(key, json()), run.only_case().value(key, json())) << command;
    }
  }
}

/// A token in the environment is in no report, whatever the outcome.
TEST(Run, TellsNothingOfTheEnvironment) {
  const TemporaryFolder folder;
  const CommandResult result = fixture({"run", "demo.wrong", "proof.watchful", "bad.crashes", "--device", "sim",
                                        "--json", folder / "out.json", "--junit", folder / "out.xml", "--verbose"},
                                       {"GPUCHECK_TEST_TOKEN=hush-7f3a9c"});
  EXPECT_EQ(result.exit_code, 1);
  for (const std::string& text : {read_file(folder / "out.json"), read_file(folder / "out.xml"),
                                  read_file(folder / "out.json.journal"), result.output, result.error_output}) {
    EXPECT_THAT(text, Not(HasSubstr("hush-7f3a9c")));
  }
  EXPECT_THAT(read_file(folder / "out.json.journal"), HasSubstr("demo.wrong"));
}

}  // namespace
}  // namespace gpucheck::application
