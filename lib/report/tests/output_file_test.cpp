#include "report/output_file.hpp"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "report/sinks.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

namespace fs = std::filesystem;

std::string refusal(const std::string& path) {
  try {
    const OutputFile file(path);
  } catch (const EnvironmentError& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(OutputFile, AppearsOnlyWhenWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.file("report");
  OutputFile file(path);
  EXPECT_FALSE(fs::exists(path));
  file.commit("text");
  EXPECT_EQ(read_file(path), "text");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(OutputFile, LeavesNothingBehindWhenNotCommitted) {
  const TemporaryFolder folder;
  { const OutputFile file(folder.file("report")); }
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(OutputFile, KeepsTheOldFileUntilTheNewOneIsWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.file("report");
  std::ofstream(path) << "a longer old text";
  OutputFile file(path);
  EXPECT_EQ(read_file(path), "a longer old text");
  file.commit("new");
  EXPECT_EQ(read_file(path), "new");
}

TEST(OutputFile, FollowsALinkInsteadOfReplacingIt) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("target")) << "old";
  fs::create_symlink("target", folder.file("link"));
  OutputFile(folder.file("link")).commit("new");
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(read_file(folder.file("target")), "new");
}

TEST(OutputFile, HasTheUsualPermissions) {
  const TemporaryFolder folder;
  const mode_t mask = ::umask(022);
  OutputFile(folder.file("report")).commit("x");
  ::umask(mask);
  EXPECT_EQ(fs::status(folder.file("report")).permissions(), fs::perms(0644));
}

TEST(OutputFile, WritesDirectlyToWhatIsNoRegularFile) { OutputFile("/dev/null").commit("x"); }

TEST(OutputFile, SaysAtOnceWhatCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal(folder.file("missing/report")),
            "cannot create a file beside the report " + folder.file("missing/report") + ": No such file or directory");
  EXPECT_EQ(refusal(folder.file("")), "cannot write the report " + folder.file("") + ": Is a directory");
  EXPECT_EQ(refusal("/proc/report"), "cannot create a file beside the report /proc/report: No such file or directory");
  EXPECT_EQ(refusal(""), "cannot write the report: its path is empty");
}

TEST(OutputFile, SaysWhenTheDiskIsFull) {
  OutputFile file("/dev/full");
  try {
    file.commit("x");
    FAIL() << "nothing was thrown";
  } catch (const EnvironmentError& problem) {
    EXPECT_STREQ(problem.what(), "cannot write the report /dev/full: No space left on device");
  }
}

TEST(OutputFile, TakesADashForStdout) {
  testing::internal::CaptureStdout();
  OutputFile("-").commit("whole\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "whole\n");
  EXPECT_GE(::fcntl(STDOUT_FILENO, F_GETFD), 0);  // stdout itself stays open
}

TEST(Sinks, RefuseAPathThatCannotBeWrittenBeforeTheRun) {
  EXPECT_THROW(make_json("/nonexistent/result.json"), EnvironmentError);
  EXPECT_THROW(make_junit("/nonexistent/junit.xml"), EnvironmentError);
}

TEST(Sinks, LeaveNothingBehindWhenTheRunDies) {
  const TemporaryFolder folder;
  {
    const auto json = make_json(folder.file("result.json"));
    const auto junit = make_junit(folder.file("junit.xml"));
    EXPECT_EQ(folder.file_count(), 2U);
    json->on(harness::RunStarted{});
  }
  EXPECT_EQ(folder.file_count(), 0U);
}

}  // namespace
}  // namespace gpucheck::report
