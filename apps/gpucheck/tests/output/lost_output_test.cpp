#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pty.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/subprocess.hpp"

/// Nothing that was asked for is lost without a word: closed streams, reports of earlier
/// runs, exit codes.
namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ClosedStreams, PutNoConsoleTextIntoAReport) {
  for (const char* closed : {">&-", "2>&-", ">&- 2>&-", "<&- >&-", "<&- >&- 2>&-"}) {
    const TemporaryFolder folder;
    const CommandResult result = shell(fmt::format("$0 run proof.watchful --device sim --json {} --junit {} {}",
                                                   folder / "r.json", folder / "r.xml", closed));
    const bool can_be_told = std::string(closed) == "2>&-";
    EXPECT_EQ(result.exit_code, can_be_told ? 0 : 3) << closed;
    const json document = json::parse(read_file(folder / "r.json"), nullptr, false);
    ASSERT_TRUE(document.is_object()) << closed;
    EXPECT_EQ(document["exit_code"], result.exit_code) << closed;
    EXPECT_EQ(document["counts"]["pass"], 1);
    EXPECT_TRUE(read_file(folder / "r.xml").starts_with("<?xml")) << closed;
    EXPECT_TRUE(read_file(folder / "r.json.journal").starts_with("{\"schema\"")) << closed;
  }
}

TEST(ClosedStreams, TakeNoFailureBackAndAreNoPlaceForAReport) {
  EXPECT_EQ(shell("$0 run demo.wrong --device sim >&-").exit_code, 1);
  EXPECT_EQ(shell("$0 run proof.watchful --device sim --json - >&-").exit_code, 3);
  EXPECT_EQ(shell("$0 prove proof.exclusive --device sim >&-").exit_code, 3);
  EXPECT_EQ(shell("$0 list >&-").exit_code, 3);
  EXPECT_EQ(shell("$0 list 2>&- <&-").exit_code, 0);
}

TEST(ExitCode, InTheReportIsTheProcesss) {
  const TemporaryFolder folder;
  const auto expect_same = [&folder](const std::string& arguments, int expected, const std::string& before = "") {
    const CommandResult result =
        shell(fmt::format("{}$0 run --device sim --json {} {}", before, folder / "r.json", arguments));
    EXPECT_EQ(result.exit_code, expected) << arguments;
    EXPECT_EQ(json::parse(read_file(folder / "r.json"))["exit_code"], expected) << arguments;
    const CommandResult again =
        shell(fmt::format("$0 report {} --json {} >/dev/null", folder / "r.json.journal", folder / "again.json"));
    EXPECT_EQ(again.exit_code, expected) << arguments;
    EXPECT_EQ(read_file(folder / "again.json"), read_file(folder / "r.json"));
  };
  expect_same("skipped --skip-exit-code 77", 77);
  expect_same("skipped --skip-exit-code 0", 0);
  expect_same("skipped --skip-exit-code 77 --max-skips 1", 3);
  expect_same("skipped --skip-exit-code 77 --max-skips 2", 77);
  expect_same("skipped demo.wrong --skip-exit-code 77", 1);
  expect_same("proof.watchful >/dev/full", 3);
  expect_same("demo.wrong >/dev/full", 1);
  expect_same("skipped --skip-exit-code 0 >/dev/full", 3);
  expect_same("proof.watchful --junit /dev/full", 3);
  expect_same("proof.watchful >&9", 3, "exec 9> >(true); wait $!; ");  // a pipe whose reader has gone
}

TEST(OldReports, DoNotOutliveARunThatIsNotJudged) {
  for (const char* arguments : {"proof.watchful --golden /nonexistent", "proof.watchful --junit /nonexistent/r.xml"}) {
    const TemporaryFolder folder;
    const std::string json_path = folder / "r.json";
    const std::string run = fmt::format("$0 run --device sim --json {} ", json_path);
    ASSERT_EQ(shell(run + "proof.watchful").exit_code, 0);
    EXPECT_EQ(shell(run + "no.such.case").exit_code, 2);
    EXPECT_EQ(json::parse(read_file(json_path))["exit_code"], 0) << "a mistake on the command line begins nothing";
    EXPECT_EQ(shell(run + arguments).exit_code, 3) << arguments;
    EXPECT_FALSE(std::filesystem::exists(json_path)) << arguments;
    EXPECT_EQ(shell(fmt::format("$0 report {}", json_path + ".journal")).exit_code, 3) << arguments;
  }
}

TEST(OldReports, AreReplacedByARunOfNoCases) {
  const TemporaryFolder folder;
  write_file(folder / "r.json", "old");
  EXPECT_EQ(shell(fmt::format("$0 run proof.watchful --shard 2/2 --device sim --json {}", folder / "r.json")).exit_code,
            3);
  EXPECT_EQ(json::parse(read_file(folder / "r.json"))["exit_code"], 3);
}

TEST(OldReports, DoNotOutliveARunThatIsKilled) {
  const TemporaryFolder folder;
  write_file(folder / "r.json", "old");
  write_file(folder / "r.xml", "old");
  shell(fmt::format("timeout -s KILL 0.5 $0 run bad.hangs --device sim --json {} --junit {}", folder / "r.json",
                    folder / "r.xml"));
  EXPECT_THAT(read_file(folder / "r.json"), IsEmpty());
  EXPECT_THAT(read_file(folder / "r.xml"), IsEmpty());
}

TEST(OldReports, DoNotOutliveAJournalThatIsNone) {
  const TemporaryFolder folder;
  write_file(folder / "journal", "no journal\n");
  write_file(folder / "r.json", "old");
  EXPECT_EQ(shell(fmt::format("$0 report {} --json {}", folder / "journal", folder / "r.json")).exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder / "r.json"));
  EXPECT_EQ(read_file(folder / "journal"), "no journal\n");
}

TEST(ReportNames, MayBeAsLongAsNamesCanBe) {
  for (const std::size_t length : {245U, 247U, 248U, 255U}) {
    const TemporaryFolder folder;
    const std::string path = folder / std::string(length, 'x');
    const CommandResult result = shell(fmt::format("$0 run proof.watchful --device sim --json {}", path));
    EXPECT_EQ(result.exit_code, 0) << length << result.error_output;
    EXPECT_EQ(json::parse(read_file(path))["exit_code"], 0);
    const bool has_journal = length + std::string(".journal").size() <= 255;
    std::error_code too_long;
    EXPECT_EQ(std::filesystem::exists(path + ".journal", too_long), has_journal);
    EXPECT_EQ(result.error_output.find("there is no journal") == std::string::npos, has_journal);
  }
}

/// As Ctrl-C does, half a second and three whole runs' time after the start: by then a case is running, also where the
/// machine is busy or the build a slow one.
CommandResult interrupted(const std::string& arguments) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(shell("$0 run proof.exclusive --device sim").exit_code, 0);
  const std::chrono::duration<double> whole_run = std::chrono::steady_clock::now() - start;
  return shell(
      fmt::format("timeout -s INT {:.3f} $0 {} --device sim; exit $?", 0.5 + 3 * whole_run.count(), arguments));
}

TEST(Interruption, LeavesNoCaseOutOfAProof) {
  const std::string text = interrupted("prove bad.hangs proof.exclusive --jobs 1").output;
  EXPECT_THAT(text, AllOf(HasSubstr("bad.hangs"), HasSubstr("interrupted while it was running")));
  EXPECT_THAT(text, HasSubstr("proof.exclusive"));
  const json document = json::parse(interrupted("prove bad.hangs proof.watchful --jobs 1 --json").output);
  EXPECT_EQ(document["exit_code"], 130);
  ASSERT_EQ(document["cases"].size(), 2U);
  EXPECT_EQ(document["cases"][0]["clean"]["outcome"], "error");
  EXPECT_EQ(document["cases"][0]["proven"], false);
}

TEST(Interruption, LeavesNoFaultOutOfAProof) {
  const std::string command = "prove proof.watchful --timeout 1h --jobs 1";  // its second fault hangs
  EXPECT_THAT(interrupted(command).output, HasSubstr("NOT RUN (interrupted)"));
  const json document = json::parse(interrupted(command + " --json").output);
  ASSERT_EQ(document["cases"].size(), 1U);
  ASSERT_EQ(document["cases"][0]["faults"].size(), 3U);
  EXPECT_EQ(document["cases"][0]["faults"][1]["noticed"], false);
  EXPECT_EQ(document["cases"][0]["faults"][1]["reason"], "not run: interrupted");
}

TEST(Interruption, LeavesNoCaseOutOfADifference) {
  const std::string text = interrupted("golden diff bad.hangs --jobs 1").output;
  EXPECT_THAT(text, HasSubstr("bad.hangs: error: interrupted while it was running"));
  EXPECT_THAT(text, HasSubstr("0 as expected, 0 different, 1 not judged"));
}

/// What a command writes on a terminal.
std::string on_terminal(const std::string& script) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::setenv("TERM", "xterm", 1);
    ::execl("/bin/bash", "bash", "-c", script.c_str(), GPUCHECK_FIXTURE_PROGRAM, nullptr);
    ::_exit(127);
  }
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t count = 1; count > 0;) {
    count = ::read(terminal, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return text;
}

TEST(LiveLine, IsGoneWhenAProofIsDone) {
  const std::string text = on_terminal("$0 prove proof.exclusive --device sim");
  const std::size_t drawn = text.rfind("runs done");
  ASSERT_NE(drawn, std::string::npos) << text;
  EXPECT_THAT(text.substr(drawn), ::testing::StartsWith("runs done\r\x1b[K"));
  EXPECT_THAT(text.substr(drawn + 12), Not(::testing::StartsWith("proving")));
}

TEST(LiveLine, ShowsThatTimePassesWhileOneCaseRuns) {
  const std::string text = on_terminal("$0 run bad.hangs --device sim --timeout 3500ms");
  int drawn = 0;
  for (std::size_t at = text.find("[0/1]"); at != std::string::npos; at = text.find("[0/1]", at + 1)) ++drawn;
  EXPECT_GE(drawn, 3) << text;
  EXPECT_THAT(text, Not(HasSubstr("still running")));
}

}  // namespace
}  // namespace gpucheck::application
