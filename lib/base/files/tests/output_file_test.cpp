#include "base/files/output_file.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "temporary_folder.hpp"

namespace gpucheck {
namespace {

namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string error_of_writing(const std::string& path) {
  try {
    const OutputFile file(path, "report");
  } catch (const EnvironmentError& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(OutputFile, AppearsOnlyWhenWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.file("report");
  OutputFile file(path, "report");
  EXPECT_FALSE(fs::exists(path));
  file.commit("text");
  EXPECT_EQ(read_file(path), "text");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(OutputFile, LeavesNothingBehindWhenNotCommitted) {
  const TemporaryFolder folder;
  { const OutputFile file(folder.file("report"), "report"); }
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(OutputFile, KeepsTheOldFileUntilTheNewOneIsWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.file("report");
  std::ofstream(path) << "a longer old text";
  OutputFile file(path, "report");
  EXPECT_EQ(read_file(path), "a longer old text");
  file.commit("new");
  EXPECT_EQ(read_file(path), "new");
}

TEST(OutputFile, FollowsALinkInsteadOfReplacingIt) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("target")) << "old";
  fs::create_symlink("target", folder.file("link"));
  OutputFile(folder.file("link"), "report").commit("new");
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(read_file(folder.file("target")), "new");
}

TEST(OutputFile, DiscardsTheOldFileOnRequest) {
  const TemporaryFolder folder;
  const std::string path = folder.file("report");
  std::ofstream(path) << "old";
  OutputFile file(path, "report");
  file.discard_old();
  EXPECT_FALSE(fs::exists(path));
  file.discard_old();
  file.commit("new");
  EXPECT_EQ(read_file(path), "new");
  OutputFile("/dev/null", "report").discard_old();
  EXPECT_TRUE(fs::exists("/dev/null"));
}

TEST(OutputFile, TakesAnyNameThatAFileCanHave) {
  const TemporaryFolder folder;
  const std::string path = folder.file(std::string(255, 'x'));
  OutputFile(path, "report").commit("text");
  EXPECT_EQ(read_file(path), "text");
}

TEST(OutputFile, PutsTheFileWhereALinkPointsThatHasNone) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("below"));
  fs::create_symlink("second", folder.file("first"));
  fs::create_symlink("below/target", folder.file("second"));
  OutputFile(folder.file("first"), "report").commit("new");
  EXPECT_TRUE(fs::is_symlink(folder.file("first")));
  EXPECT_TRUE(fs::is_symlink(folder.file("second")));
  EXPECT_EQ(read_file(folder.file("below/target")), "new");
}

TEST(OutputFile, ReplacesNoLinkThatLeadsNowhere) {
  const TemporaryFolder folder;
  fs::create_symlink("loop", folder.file("loop"));
  EXPECT_EQ(error_of_writing(folder.file("loop")),
            "cannot write the report " + folder.file("loop") + ": Too many levels of symbolic links");
  fs::create_symlink("missing/target", folder.file("link"));
  EXPECT_EQ(error_of_writing(folder.file("link")),
            "cannot create a file beside the report " + folder.file("link") + ": No such file or directory");
  EXPECT_TRUE(fs::is_symlink(folder.file("loop")));
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
}

TEST(OutputFile, WritesThroughNoLinkThatHasItsTemporaryName) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("victim")) << "kept";
  {
    const OutputFile file(folder.file("report"), "report");
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.file(""))) {
      if (entry.path().extension() == ".tmp") fs::create_symlink("victim", folder.file("remembered"));
      if (entry.path().extension() == ".tmp") fs::rename(folder.file("remembered"), entry.path());
    }
    OutputFile(folder.file("report"), "report").commit("new");  // whose first choice is that link
  }
  EXPECT_EQ(read_file(folder.file("victim")), "kept");
  EXPECT_EQ(read_file(folder.file("report")), "new");
  EXPECT_FALSE(fs::is_symlink(folder.file("report")));
}

TEST(OutputFile, HasTheUsualPermissions) {
  const TemporaryFolder folder;
  const mode_t mask = ::umask(022);
  OutputFile(folder.file("report"), "report").commit("x");
  ::umask(mask);
  EXPECT_EQ(fs::status(folder.file("report")).permissions(), fs::perms(0644));
}

TEST(OutputFile, WritesDirectlyToWhatIsNoRegularFile) { OutputFile("/dev/null", "report").commit("x"); }

TEST(OutputFile, SaysAtOnceWhatCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of_writing(folder.file("missing/report")),
            "cannot create a file beside the report " + folder.file("missing/report") + ": No such file or directory");
  EXPECT_EQ(error_of_writing(folder.file("")), "cannot write the report " + folder.file("") + ": Is a directory");
  EXPECT_EQ(error_of_writing("/proc/report"),
            "cannot create a file beside the report /proc/report: No such file or directory");
  EXPECT_EQ(error_of_writing(""), "cannot write the report: its path is empty");
}

TEST(OutputFile, SaysWhenTheDiskIsFull) {
  OutputFile file("/dev/full", "report");
  try {
    file.commit("x");
    FAIL() << "nothing was thrown";
  } catch (const EnvironmentError& problem) {
    EXPECT_STREQ(problem.what(), "cannot write the report /dev/full: No space left on device");
  }
}

TEST(OutputFile, TakesADashForStdout) {
  testing::internal::CaptureStdout();
  OutputFile("-", "report").commit("whole\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "whole\n");
  EXPECT_GE(::fcntl(STDOUT_FILENO, F_GETFD), 0);  // stdout itself stays open
}

TEST(OutputFile, IsWrittenInPiecesAndAppearsWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.file("report");
  {
    OutputFile file(path, "report");
    file.append("one ");
    file.append("two ");
    EXPECT_FALSE(fs::exists(path));
    file.commit("three");
    EXPECT_EQ(read_file(path), "one two three");
  }
  {
    OutputFile file(path, "report");
    file.append("never");
  }
  EXPECT_EQ(read_file(path), "one two three");
  EXPECT_EQ(folder.file_count(), 1U);
}

}  // namespace
}  // namespace gpucheck
