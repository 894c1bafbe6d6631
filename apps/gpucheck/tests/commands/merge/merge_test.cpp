#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <utility>

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

/// The version and the words of the settings are the same, and what they name is not.
TEST(MergeCommand, NoticesNodesThatOtherLimitsHaveJudged) {
  const TemporaryFolder folder;
  for (const auto& [node, limit] : {std::pair("n1", 2900), {"n2", 2900}, {"n3", 2890}}) {
    write_file(folder / "limits.json", fmt::format(R"({{"schema": "gpucheck.limits/1", "classes": [{{"name": "any",
        "limits": {{"measured.speed.speed_gbps": {{"fail_below": {}, "source": "ours"}}}}}}]}})",
                                                   limit));
    const CommandResult run = fixture({"run", "measured.speed", "--device", "sim:devices=4", "--limits",
                                       folder / "limits.json", "--journal", folder / "{node}.journal"},
                                      {std::string("GPUCHECK_NODE=") + node});
    EXPECT_EQ(run.exit_code, 0) << run.error_output;
  }
  const CommandResult merged = fixture({"merge", folder.path(), "--expect-nodes", "3"});
  EXPECT_EQ(merged.exit_code, 3);
  EXPECT_THAT(merged.output, ::testing::ContainsRegex("nodes differ in their golden files: [0-9a-f]+ on 2 nodes; "
                                                      "[0-9a-f]+ on n3"));
  EXPECT_THAT(merged.output, HasSubstr("2 of 3 nodes passed, 1 not judged"));
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

/// The journal of a node that measured a speed on a day of January.
void write_day(const TemporaryFolder& folder, int day, const char* speed) {
  const CommandResult run = fixture({"run", "measured.speed", "-p", std::string("speed=") + speed, "--device",
                                     "sim:devices=4", "--journal", folder / "n1.journal"},
                                    {"GPUCHECK_NODE=n1"});
  ASSERT_EQ(run.exit_code, 0) << run.error_output;
  std::string text = read_file(folder / "n1.journal");
  const std::string start = "\"start_time\":\"";
  const std::size_t place = text.find(start) + start.size();
  text.replace(place, 10, "2026-01-" + std::string(day < 10 ? "0" : "") + std::to_string(day));
  write_file(folder / "n1.journal", text);
}

TEST(MergeCommand, JudgesGpusAgainstTheirOwnPast) {
  const TemporaryFolder folder;
  const TemporaryFolder history;
  const std::vector<std::string> merge{"merge", folder.path(), "--expect-nodes", "1", "--history", history / "kept"};
  for (int day = 1; day <= 7; ++day) {
    write_day(folder, day, "3000");
    EXPECT_EQ(fixture(merge).exit_code, 0) << day;
    EXPECT_EQ(fixture(merge).exit_code, 0) << "the same files once more";
  }
  const auto records = std::filesystem::directory_iterator(history / "kept");
  EXPECT_EQ(std::distance(begin(records), end(records)), 7);
  for (const auto& record : std::filesystem::directory_iterator(history / "kept")) {
    EXPECT_EQ(report::json_schema_complaints(read_file(record.path().string())), "");
  }
  write_day(folder, 8, "2950");
  EXPECT_EQ(fixture(merge).exit_code, 0) << "one odd run does not make a drift";
  write_day(folder, 9, "2950");
  std::vector<std::string> words = merge;
  for (const char* format : {"json", "junit", "prometheus", "html"}) {
    words.insert(words.end(), {"--output", std::string(format) + "=" + (folder / format)});
  }
  const CommandResult drifted = fixture(words);
  EXPECT_EQ(drifted.exit_code, 3);
  EXPECT_THAT(drifted.output, AllOf(HasSubstr("suspect: SIM-"), HasSubstr("1.7 % worse than it was in measured.speed"),
                                    HasSubstr("since 2026-01-08T"), HasSubstr("(2 runs)")));
  EXPECT_EQ(report::json_schema_complaints(read_file(folder / "json")), "");
  const json suspect = json::parse(read_file(folder / "json"))["suspects"][0];
  EXPECT_EQ(suspect["own_past"]["runs"], 2);
  EXPECT_NEAR(suspect["evidence"][0]["loss_ratio"].get<double>(), 50.0 / 3000, 1e-6);
  EXPECT_THAT(read_file(folder / "junit"), HasSubstr("classname=\"gpucheck.fleet.drift\""));
  EXPECT_THAT(read_file(folder / "prometheus"), HasSubstr("worse_than=\"it was\""));
  EXPECT_THAT(read_file(folder / "html"), HasSubstr("1.7 % worse than it was"));
}

TEST(MergeCommand, DoesNotJudgeByAHistoryThatItCannotRead) {
  const TemporaryFolder folder;
  const TemporaryFolder history;
  write_day(folder, 1, "3000");
  write_file(history / "old.history", "torn");
  write_file(history / "notes.txt", "not a record");
  const std::vector<std::string> merge{"merge", folder.path(), "--expect-nodes", "1", "--history", history.path()};
  const CommandResult torn = fixture(merge);
  EXPECT_EQ(torn.exit_code, 3);
  EXPECT_THAT(torn.output, AllOf(HasSubstr("old.history"), HasSubstr("remove the file"), HasSubstr("1 of 1 node")));
  std::filesystem::remove(history / "old.history");
  EXPECT_EQ(fixture(merge).exit_code, 0);
  write_file(history / "file", "");
  const CommandResult not_kept =
      fixture({"merge", folder.path(), "--expect-nodes", "1", "--history", history / "file"});
  EXPECT_EQ(not_kept.exit_code, 3);
  EXPECT_THAT(not_kept.output, HasSubstr("the history cannot be read"));
}

TEST(CompareCommand, SaysWhatHasBecomeWorse) {
  const TemporaryFolder before;
  const TemporaryFolder after;
  write_day(before, 1, "3000");
  write_day(after, 2, "2700");
  const std::string report = after / "changes.json";
  const CommandResult worse = fixture({"compare", before.path(), after / "n1.journal", "--json", report});
  EXPECT_EQ(worse.exit_code, 1) << worse.error_output;
  EXPECT_THAT(worse.output, AllOf(HasSubstr("1 node and 4 values compared"), HasSubstr("10.0 % worse   measured.speed"),
                                  HasSubstr("3000 before, 2700 after"), HasSubstr("settings changed: "),
                                  HasSubstr("WORSE       measure again")));
  EXPECT_EQ(report::json_schema_complaints(read_file(report)), "");
  const json changes = json::parse(read_file(report));
  EXPECT_EQ(changes["verdict"], "worse");
  EXPECT_EQ(changes["values"].size(), 4);
  EXPECT_NEAR(changes["values"][0]["gain_ratio"].get<double>(), -0.1, 1e-9);
  const CommandResult better = fixture({"compare", after / "n1.journal", before / "n1.journal"});
  EXPECT_EQ(better.exit_code, 0);
  EXPECT_THAT(better.output, AllOf(HasSubstr("11.1 % better"), HasSubstr("NOT WORSE")));
}

TEST(CompareCommand, DoesNotJudgeWhatItCannotCompare) {
  const TemporaryFolder folder;
  write_day(folder, 1, "3000");
  const std::string journal = folder / "n1.journal";
  write_file(folder / "x", "not a journal");
  const CommandResult foreign = fixture({"compare", journal, folder / "x"});
  EXPECT_EQ(foreign.exit_code, 3);
  EXPECT_THAT(foreign.output, AllOf(HasSubstr("problem: "), HasSubstr("NOT JUDGED")));
  EXPECT_EQ(fixture({"compare", journal, folder / "nowhere"}).exit_code, 3);
  EXPECT_EQ(fixture({"compare", journal}).exit_code, 2);
  EXPECT_EQ(fixture({"compare", journal, journal, "--json", journal}).exit_code, 2);
  EXPECT_EQ(fixture({"compare", journal, journal, "--json", "/dev/full"}).exit_code, 3);
  EXPECT_EQ(json::parse(fixture({"compare", journal, journal, "--json", "-"}).output)["verdict"], "not_worse");
}

}  // namespace
}  // namespace gpucheck::application
