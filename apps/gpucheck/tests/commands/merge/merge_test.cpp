#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "schema.hpp"
#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A run of the case on a node, its journal in the folder.
CommandResult run_on_node(const TemporaryFolder& folder, const std::string& node, const std::string& case_name) {
  return fixture({"run", case_name, "--device", "sim", "--journal", folder / "{node}.journal"},
                 {"GPUCHECK_NODE=" + node});
}

void run_good_nodes(const TemporaryFolder& folder, int count) {
  for (int i = 1; i <= count; ++i) {
    EXPECT_EQ(run_on_node(folder, "n" + std::to_string(i), "proof.watchful").exit_code, 0);
  }
}

TEST(MergeCommand, PassesAFleetWhoseNodesAllReportedAndPassed) {
  const TemporaryFolder folder;
  run_good_nodes(folder, 2);
  const CommandResult merged =
      fixture({"merge", folder.path(), "--expect-nodes", "n[1-2]", "--output", "json=" + (folder / "all.json"),
               "--output", "junit=" + (folder / "all.xml"), "--output", "prometheus=" + (folder / "all.prom"),
               "--output", "markdown=" + (folder / "all.md")});
  EXPECT_EQ(merged.exit_code, 0) << merged.error_output;
  EXPECT_THAT(merged.output, HasSubstr("PASSED      2 of 2 nodes passed\n"));
  EXPECT_EQ(report::json_schema_complaints(read_file(folder / "all.json")), "");
  EXPECT_THAT(read_file(folder / "all.xml"), HasSubstr("classname=\"gpucheck.n2.proof\""));
  EXPECT_THAT(read_file(folder / "all.prom"), HasSubstr("gpucheck_fleet_verdict{verdict=\"passed\"} 1\n"));
  EXPECT_THAT(read_file(folder / "all.md"), HasSubstr("## gpucheck merge: PASSED\n"));
  EXPECT_THAT(fixture({"merge", folder.path(), "--expect-nodes", "2", "-v"}).output, HasSubstr("PASSED      n1\n"));
}

TEST(MergeCommand, DoesNotJudgeAFleetThatIsNotWhole) {
  const TemporaryFolder folder;
  run_good_nodes(folder, 2);
  const CommandResult missing = fixture({"merge", folder.path(), "--expect-nodes", "n[1-3]"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.output, HasSubstr("1 node did not report: n3"));
  const CommandResult stranger = fixture({"merge", folder.path(), "--expect-nodes", "n1"});
  EXPECT_EQ(stranger.exit_code, 3);
  EXPECT_THAT(stranger.output, HasSubstr("nobody expects: n2"));
  write_file(folder / "x.journal", "not a journal\n");
  const CommandResult foreign = fixture({"merge", folder.path(), "--expect-nodes", "any"});
  EXPECT_EQ(foreign.exit_code, 3);
  EXPECT_THAT(foreign.output, AllOf(HasSubstr("x.journal:1: "), HasSubstr("2 of 2 nodes passed")));
}

TEST(MergeCommand, FailsAFleetWithABadNodeAndNamesIt) {
  const TemporaryFolder folder;
  run_good_nodes(folder, 2);
  EXPECT_EQ(run_on_node(folder, "n3", "demo.wrong").exit_code, 1);
  const CommandResult merged = fixture({"merge", folder.path(), "--expect-nodes", "3"});
  EXPECT_EQ(merged.exit_code, 1);
  EXPECT_THAT(merged.output, AllOf(HasSubstr("FAILED      n3  device 0 "), HasSubstr("failed demo.wrong"),
                                   HasSubstr("nodes differ in their cases: 1 case on 2 nodes; 1 case, without "
                                             "proof.watchful, with demo.wrong on n3")));
}

TEST(MergeCommand, WaivesWhatIsKnown) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_on_node(folder, "n1", "demo.wrong").exit_code, 1);
  write_file(folder / "waivers.json", R"({"waivers": [{"case": "demo.*", "device": "any", "reason": "known",
                                          "owner": "node team", "expires": "2099-12-31"}]})");
  const CommandResult merged =
      fixture({"merge", folder / "n1.journal", "--expect-nodes", "1", "--waivers", folder / "waivers.json"});
  EXPECT_THAT(merged.output, HasSubstr("1 waived"));
  EXPECT_NE(merged.exit_code, 1);
}

TEST(MergeCommand, HasNoUseForACommandLineThatLeavesDoubts) {
  const TemporaryFolder folder;
  run_good_nodes(folder, 1);
  const std::string journal = folder / "n1.journal";
  const auto usage = [&](const std::vector<std::string>& more, const char* why) {
    std::vector<std::string> words{"merge", journal};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = fixture(words);
    EXPECT_EQ(result.exit_code, 2) << result.error_output;
    EXPECT_THAT(result.error_output, HasSubstr(why));
  };
  usage({}, "--expect-nodes");
  usage({"--expect-nodes", "0"}, "cannot be expected");
  usage({"--expect-nodes", "n[2-1]"}, "ends before it begins");
  usage({"--expect-nodes", "1", "--racks", "r("}, "not a regular expression");
  usage({"--expect-nodes", "1", "--output", "journal=x"}, "not a format of reports on a fleet");
  usage({"--expect-nodes", "1", "--output", "json"}, "FORMAT=FILE");
  usage({"--expect-nodes", "1", "--output", "json=" + journal}, "n1.journal");
  usage({"--expect-nodes", "1", "--output", "json=" + (folder / "a"), "--output", "junit=" + (folder / "a")}, "junit");
  EXPECT_EQ(fixture({"merge", "--expect-nodes", "1"}).exit_code, 2);
}

TEST(MergeCommand, TakesASecondMeasurementForNoSecondReport) {
  const TemporaryFolder folder;
  const TemporaryFolder again;
  run_good_nodes(folder, 2);
  EXPECT_EQ(run_on_node(again, "n1", "proof.watchful").exit_code, 0);
  EXPECT_EQ(fixture({"merge", folder.path(), "--again", again.path(), "--expect-nodes", "2"}).exit_code, 0);
  EXPECT_EQ(fixture({"merge", folder.path(), again.path(), "--expect-nodes", "2"}).exit_code, 3);
  write_file(again / "x.journal", "broken");
  EXPECT_EQ(fixture({"merge", folder.path(), "--again", again.path(), "--expect-nodes", "2"}).exit_code, 3);
}

TEST(MergeCommand, IsNoPassWhereAReportCannotBeWritten) {
  const TemporaryFolder folder;
  run_good_nodes(folder, 1);
  const CommandResult full = fixture({"merge", folder.path(), "--expect-nodes", "1", "--output", "json=/dev/full"});
  EXPECT_EQ(full.exit_code, 3) << full.output;
  EXPECT_THAT(full.error_output, HasSubstr("/dev/full"));
  EXPECT_EQ(fixture({"merge", folder.path(), "--expect-nodes", "1", "--output", "json=/nowhere/x"}).exit_code, 3);
}

TEST(MergeCommand, WritesAReportToStdoutAndTheConsoleToStderr) {
  const TemporaryFolder folder;
  run_good_nodes(folder, 1);
  const CommandResult merged = fixture({"merge", folder.path(), "--expect-nodes", "1", "--output", "json=-"});
  EXPECT_EQ(merged.exit_code, 0);
  EXPECT_EQ(json::parse(merged.output)["verdict"], "passed");
  EXPECT_THAT(merged.error_output, HasSubstr("1 of 1 node passed"));
}

TEST(MergeCommand, SaysThatARunHasNotEndedYet) {
  const TemporaryFolder folder;
  const std::string script = std::string(GPUCHECK_FIXTURE_PROGRAM) +
                             " run bad.hangs --device sim --timeout 60s --journal " + (folder / "n1.journal") +
                             " > /dev/null & until grep -q case_started " + (folder / "n1.journal") +
                             " 2> /dev/null; do sleep 0.02; done; " + GPUCHECK_FIXTURE_PROGRAM + " merge " +
                             folder.path() + " --expect-nodes 1; echo code $?; kill -KILL $!";
  const CommandResult merged = run_program("/bin/sh", {"-c", script});
  EXPECT_THAT(merged.output, AllOf(HasSubstr("the run has not ended yet"), HasSubstr("code 3")));
}

}  // namespace
}  // namespace gpucheck::application
