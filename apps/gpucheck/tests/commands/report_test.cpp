#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

/// A run with every outcome, its reports and its journal in `folder`.
CommandResult run_all(const TemporaryFolder& folder) {
  return fixture({"run", "--device", "sim", "--timeout", "300ms", "--retries", "1", "--json", folder / "run.json",
                  "--junit", folder / "run.xml"});
}

TEST(Report, OfAWholeJournalIsTheRunsOwnByteForByte) {
  const TemporaryFolder folder;
  const CommandResult run = run_all(folder);
  ASSERT_EQ(run.exit_code, 1) << run.error_output;
  const CommandResult report = fixture(
      {"report", folder / "run.json.journal", "--json", folder / "again.json", "--junit", folder / "again.xml"});
  EXPECT_EQ(report.exit_code, 1) << report.error_output;
  EXPECT_EQ(read_file(folder / "again.json"), read_file(folder / "run.json"));
  EXPECT_EQ(read_file(folder / "again.xml"), read_file(folder / "run.xml"));
  EXPECT_EQ(report.output, run.output) << "the console";
  EXPECT_EQ(json::parse(read_file(folder / "run.json"))["cases"].size(), 17U) << "orphans are in the journal too";
}

TEST(Report, HasTheVerdictOfTheRun) {
  const TemporaryFolder folder;
  for (const auto& [name, code] : {std::pair("proof.watchful", 0), {"demo.wrong", 1}, {"skipped", 3}}) {
    EXPECT_EQ(fixture({"run", name, "--device", "sim", "--journal", folder / "j"}).exit_code, code);
    EXPECT_EQ(fixture({"report", folder / "j"}).exit_code, code);
  }
}

/// Runs the fixture and kills it, unasked and without a word, once its journal has the text.
void kill_when_journal_has(const std::string& text, const std::string& journal, const std::string& arguments) {
  const std::string script = std::string(GPUCHECK_FIXTURE_PROGRAM) + " " + arguments + " --device sim --journal " +
                             journal + " > /dev/null & until grep -q '" + text + "' " + journal +
                             "; do sleep 0.02; done 2> /dev/null; kill -KILL $!; wait $!";
  run_program("/bin/sh", {"-c", script});
}

TEST(Report, OfAKilledSupervisorHasWhatWasFinishedAndNamesTheRest) {
  const TemporaryFolder folder;
  kill_when_journal_has("\"finished\":1,\"total\":4", folder / "j",
                        "run proof.watchful bad.hangs proof.exclusive blind.eyes --jobs 2 --timeout 60s");
  const CommandResult report =
      fixture({"report", folder / "j", "--json", folder / "r.json", "--junit", folder / "r.xml"});
  EXPECT_THAT(report.output, AllOf(HasSubstr("not run: "), HasSubstr("the journal ends before its run did")));
  const json document = json::parse(read_file(folder / "r.json"));
  EXPECT_GE(document["cases"].size(), 1U);
  EXPECT_EQ(document["cases"].size() + document["not_run"].size(), 4U);
  EXPECT_TRUE(document["incomplete"].is_string());
  EXPECT_THAT(read_file(folder / "r.xml"), HasSubstr("type=\"not-run\""));
}

TEST(Report, OfARunKilledInItsFirstCaseIsNotJudged) {
  const TemporaryFolder folder;
  kill_when_journal_has("case_started", folder / "j", "run bad.hangs --timeout 60s");
  const CommandResult report = fixture({"report", folder / "j", "--json", "-"});
  EXPECT_EQ(report.exit_code, 3);
  const json document = json::parse(report.output);
  EXPECT_EQ(document["running"].at(0)["name"], "bad.hangs");
  EXPECT_EQ(document["not_run"], document["running"]);
  EXPECT_EQ(document["exit_code"], 3);
}

TEST(Report, LeavesATornLineOutAndSaysSo) {
  const TemporaryFolder folder;
  fixture({"run", "proof.watchful", "--device", "sim", "--journal", folder / "j"});
  const std::string whole = read_file(folder / "j");
  write_file(folder / "torn", whole.substr(0, whole.size() - 5));
  const CommandResult report = fixture({"report", folder / "torn"});
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_THAT(report.error_output, HasSubstr("cut off"));
  EXPECT_THAT(report.output, HasSubstr("1 passed"));
}

TEST(Report, OfWhatIsNoJournalNamesFileAndLine) {
  const TemporaryFolder folder;
  write_file(folder / "j", "garbage\n");
  const CommandResult report = fixture({"report", folder / "j", "--json", folder / "r.json"});
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_THAT(report.error_output, HasSubstr(folder / "j:1: "));
  EXPECT_THAT(read_file(folder / "r.json"), IsEmpty());
  EXPECT_EQ(fixture({"report"}).exit_code, 2);
}

/// The journal as another host would have written it.
void copy_as_host(const std::string& from, const std::string& to, const std::string& host) {
  std::string text = read_file(from);
  const std::string key = "\"host_name\":\"";
  const std::size_t first = text.find(key) + key.size();
  text.replace(first, text.find('"', first) - first, host);
  write_file(to, text);
}

TEST(Report, OfSeveralHostsNamesThem) {
  const TemporaryFolder folder;
  fixture({"run", "proof.watchful", "--device", "sim", "--journal", folder / "good"});
  fixture({"run", "proof.watchful", "demo.wrong", "--device", "sim", "--journal", folder / "bad"});
  copy_as_host(folder / "good", folder / "1.journal", "node1");
  copy_as_host(folder / "bad", folder / "2.journal", "node2");
  const CommandResult report = fixture({"report", folder / "1.journal", folder / "2.journal", "--json",
                                        folder / "all.json", "--junit", folder / "all.xml"});
  EXPECT_EQ(report.exit_code, 1) << report.error_output;
  EXPECT_THAT(report.output, AllOf(HasSubstr("1 of 2 runs passed: node1\n"), HasSubstr("1 of 2 runs failed: node2\n")));
  const json document = json::parse(read_file(folder / "all.json"));
  EXPECT_EQ(document["schema"], "gpucheck.fleet/1");
  EXPECT_EQ(document["exit_code"], 1);
  EXPECT_EQ(document["runs"].at(0)["host_name"], "node1");
  EXPECT_EQ(document["runs"].at(1)["cases"].size(), 2U);
  EXPECT_THAT(read_file(folder / "all.xml"),
              AllOf(HasSubstr("classname=\"gpucheck.node1.device0.proof\""),
                    HasSubstr("classname=\"gpucheck.node2.device0.proof\""), HasSubstr("tests=\"3\" failures=\"1\"")));
}

TEST(Report, OfSeveralHostsCallsNothingButSkipsNotJudgedWhateverItExitedWith) {
  const TemporaryFolder folder;
  fixture({"run", "proof.watchful", "--device", "sim", "--journal", folder / "good"});
  copy_as_host(folder / "good", folder / "1.journal", "node1");
  for (const char* code : {"0", "1", "77"}) {
    const CommandResult run =
        fixture({"run", "skipped.moon", "--device", "sim", "--skip-exit-code", code, "--journal", folder / "skips"});
    EXPECT_EQ(run.exit_code, std::stoi(code));
    copy_as_host(folder / "skips", folder / "2.journal", "node2");
    for (const auto& [first, second] : {std::pair("1.journal", "2.journal"), {"2.journal", "1.journal"}}) {
      const CommandResult report = fixture({"report", folder / first, folder / second});
      EXPECT_EQ(report.exit_code, 3) << code;
      EXPECT_THAT(report.output, HasSubstr("1 of 2 runs not judged: node2\n"));
    }
  }
}

TEST(Report, RejectsTwoVerdictsOnOneCaseOfOneDevice) {
  const TemporaryFolder folder;
  fixture({"run", "proof.watchful", "--device", "sim", "--journal", folder / "j"});
  const CommandResult report = fixture({"report", folder / "j", folder / "j"});
  EXPECT_EQ(report.exit_code, 2);
  EXPECT_THAT(report.error_output, HasSubstr("both hold proof.watchful"));
}

TEST(Report, TakesTheShardsOfOneRunTogether) {
  const TemporaryFolder folder;
  for (const char* shard : {"1/2", "2/2"}) {
    fixture({"run", "proof", "--shard", shard, "--device", "sim", "--journal", folder / std::string(shard, 1)});
  }
  const CommandResult report = fixture({"report", folder / "1", folder / "2"});
  EXPECT_EQ(report.exit_code, 0) << report.error_output;
}

TEST(Report, DoesNotReplaceItsJournal) {
  const TemporaryFolder folder;
  fixture({"run", "proof.watchful", "--device", "sim", "--journal", folder / "j"});
  const std::string before = read_file(folder / "j");
  EXPECT_EQ(fixture({"report", folder / "j", "--json", folder / "j"}).exit_code, 2);
  EXPECT_EQ(read_file(folder / "j"), before);
}

/// A waiver file for one case.
std::string waive(const TemporaryFolder& folder, const std::string& name, const std::string& expires = "2999-12-31") {
  write_file(folder / "waivers.json", R"({"waivers": [{"case": ")" + name +
                                          R"(", "device": "any", "reason": "known", "owner": "me", "expires": ")" +
                                          expires + "\"}]}");
  return folder / "waivers.json";
}

Words run_with_failure(const std::string& waivers) {
  return {"run", "demo.wrong", "proof.watchful", "--device", "sim", "--waivers", waivers};
}

TEST(Waivers, LetAKnownFailureBeSeenWithoutFailingTheRun) {
  const TemporaryFolder folder;
  Words words = run_with_failure(waive(folder, "demo.wrong"));
  words.insert(words.end(), {"--json", folder / "r.json", "--junit", folder / "r.xml", "--fail-fast"});
  const CommandResult run = fixture(words);
  EXPECT_EQ(run.exit_code, 0) << run.output << run.error_output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("FAIL"), HasSubstr("waived by me until 2999-12-31: known"),
                                HasSubstr("1 passed, 1 failed (1 waived)")));
  const json document = json::parse(read_file(folder / "r.json"));
  EXPECT_EQ(document["cases"].at(0)["outcome"], "fail");
  EXPECT_EQ(document["cases"].at(0)["waiver"]["reason"], "known");
  EXPECT_THAT(read_file(folder / "r.xml"), HasSubstr("<skipped type=\"waived\""));
  const CommandResult report = fixture({"report", folder / "r.json.journal", "--json", folder / "again.json"});
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(read_file(folder / "again.json"), read_file(folder / "r.json"));
}

TEST(Waivers, ThatHaveExpiredOrAreNotNeededAreSaid) {
  const TemporaryFolder folder;
  const CommandResult expired = fixture(run_with_failure(waive(folder, "demo.wrong", "2020-01-01")));
  EXPECT_EQ(expired.exit_code, 1);
  EXPECT_THAT(expired.output, HasSubstr("has expired"));
  const CommandResult unused = fixture(run_with_failure(waive(folder, "proof.watchful")));
  EXPECT_EQ(unused.exit_code, 1);
  EXPECT_THAT(unused.output, HasSubstr("is not needed"));
}

TEST(Waivers, NeverMakeAPassOfNothing) {
  const TemporaryFolder folder;
  EXPECT_EQ(fixture({"run", "demo.wrong", "--device", "sim", "--waivers", waive(folder, "demo.wrong")}).exit_code, 3);
  EXPECT_EQ(fixture({"run", "skipped", "--device", "sim", "--waivers", waive(folder, "*")}).exit_code, 3);
}

TEST(Waivers, WithAMistakeAreAUsageError) {
  const TemporaryFolder folder;
  const CommandResult unknown = fixture(run_with_failure(waive(folder, "demo.wrnog")));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.error_output, AllOf(HasSubstr("waivers.json"), HasSubstr("/waivers/0/case")));
  EXPECT_THAT(unknown.output, IsEmpty()) << "nothing ran";
  write_file(folder / "bad.json", "{\n\n!");
  const CommandResult bad = fixture(run_with_failure(folder / "bad.json"));
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.error_output, HasSubstr("bad.json:3:"));
  EXPECT_EQ(fixture(run_with_failure(folder / "missing.json")).exit_code, 3);
}

TEST(Waivers, CanBeGivenToAReport) {
  const TemporaryFolder folder;
  fixture({"run", "demo.wrong", "proof.watchful", "--device", "sim", "--journal", folder / "j"});
  EXPECT_EQ(fixture({"report", folder / "j"}).exit_code, 1);
  const CommandResult report = fixture({"report", folder / "j", "--waivers", waive(folder, "demo.*")});
  EXPECT_EQ(report.exit_code, 0) << report.output;
  EXPECT_THAT(report.output, HasSubstr("waived by me"));
}

TEST(Journal, LiesBesideTheJsonReportUnlessUnwanted) {
  const TemporaryFolder folder;
  fixture({"run", "proof.watchful", "--device", "sim", "--json", folder / "a.json"});
  EXPECT_THAT(read_file(folder / "a.json.journal"), HasSubstr("gpucheck.journal/1"));
  fixture({"run", "proof.watchful", "--device", "sim", "--json", folder / "b.json", "--no-journal"});
  EXPECT_THAT(read_file(folder / "b.json.journal"), IsEmpty());
  fixture({"run", "proof.watchful", "--device", "sim", "--json", folder / "c.json", "--journal", folder / "c"});
  EXPECT_THAT(read_file(folder / "c.json.journal"), IsEmpty());
  EXPECT_THAT(read_file(folder / "c"), HasSubstr("gpucheck.journal/1"));
  EXPECT_EQ(fixture({"run", "--journal", folder / "d", "--no-journal"}).exit_code, 2);
}

TEST(Run, OutlivesTheReaderOfItsConsole) {
  const TemporaryFolder folder;
  const std::string run = std::string(GPUCHECK_FIXTURE_PROGRAM) + " run demo.wrong --device sim --json " +
                          (folder / "r.json") + "; echo $? > " + (folder / "code");
  run_program("/bin/sh", {"-c", "(" + run + ") | true"});
  EXPECT_EQ(json::parse(read_file(folder / "r.json"))["exit_code"], 1);
  EXPECT_EQ(read_file(folder / "code"), "1\n");
}

TEST(Run, AFullDiskBehindTheConsoleTakesNoFailureBack) {
  for (const auto& [name, code] : {std::pair("proof.watchful", "3\n"), {"demo.wrong", "1\n"}}) {
    const TemporaryFolder folder;
    run_program("/bin/sh", {"-c", std::string(GPUCHECK_FIXTURE_PROGRAM) + " run " + name +
                                      " --device sim > /dev/full; echo $? > " + (folder / "code")});
    EXPECT_EQ(read_file(folder / "code"), code);
  }
}

TEST(Journal, SharesNoFileWithAReport) {
  const TemporaryFolder folder;
  const CommandResult run = fixture({"run", "--json", folder / "x", "--journal", folder / "x"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.error_output, HasSubstr("--journal and --json both name"));
  const CommandResult twice = fixture({"run", "--json", folder / "x", "--output", "json=" + (folder / "x")});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.error_output, HasSubstr("--json twice names one file"));
}

TEST(Journal, ThatCannotBeWrittenCostsNoReportButThePass) {
  const TemporaryFolder folder;
  const CommandResult run =
      fixture({"run", "proof.watchful", "--device", "sim", "--journal", "/dev/full", "--json", folder / "run.json"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.error_output, HasSubstr("cannot write the journal /dev/full: No space left on device"));
  EXPECT_EQ(json::parse(read_file(folder / "run.json"))["cases"].at(0)["outcome"], "pass");
}

TEST(Run, AReportThatCannotBeWrittenTakesNoFailureBack) {
  const TemporaryFolder folder;
  const CommandResult run =
      fixture({"run", "demo.wrong", "--device", "sim", "--json", "/dev/full", "--journal", folder / "j"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.error_output, HasSubstr("cannot write the report /dev/full: No space left on device; the journal has "
                                          "the results: gpucheck report " +
                                          (folder / "j") + " --json /dev/full"));
  EXPECT_EQ(fixture({"run", "skipped", "--device", "sim", "--json", "/dev/full", "--skip-exit-code", "77"}).exit_code,
            3);
}

}  // namespace
}  // namespace gpucheck::application
