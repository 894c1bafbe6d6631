#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/files/tests/temporary_folder.hpp"
#include "base/in_use_error.hpp"

namespace gpucheck {
namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string names_of_unfinished() {
  std::array<char, 1000> buffer{};
  return {buffer.data(), name_unfinished_files(buffer)};
}

/// The temporary file that all writers of a file called "foobar" share: the hash is one of those that the authors of
/// FNV-1a publish.
constexpr const char* of_foobar = "gpucheck.85944171f73967e8.tmp";

TEST(SingleWriter, RefusesASecondOneUntilTheFirstHasEnded) {
  const TemporaryFolder folder;
  const std::string path = folder.file("foobar");
  {
    OutputFile first(path, "journal", Writers::one);
    EXPECT_TRUE(fs::exists(folder.file(of_foobar)));
    EXPECT_EQ(names_of_unfinished(), path);
    try {
      const OutputFile second(path, "journal", Writers::one);
      ADD_FAILURE() << "two writers";
    } catch (const InUseError& error) {
      EXPECT_EQ(error.what(), "another process is writing the journal " + path + ": give each run its own");
    }
    EXPECT_TRUE(fs::exists(folder.file(of_foobar))) << "the refused one leaves it to its owner";
    EXPECT_EQ(names_of_unfinished(), path);
    OutputFile(folder.file("other"), "journal", Writers::one).commit("of another name");
    first.commit("first");
    EXPECT_EQ(names_of_unfinished(), "");
    OutputFile(path, "journal", Writers::one).commit("second");
  }
  EXPECT_EQ(content_of(path), "second");
  EXPECT_EQ(content_of(folder.file("other")), "of another name");
  EXPECT_EQ(folder.file_count(), 2U);
}

TEST(SingleWriter, ThatCommitsNothingLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string path = folder.file("foobar");
  { const OutputFile file(path, "journal", Writers::one); }
  EXPECT_EQ(folder.file_count(), 0U);
  OutputFile(path, "journal", Writers::one).commit("text");
  EXPECT_EQ(content_of(path), "text");
}

TEST(SingleWriter, TakesOverWhatADeadOneLeft) {
  const TemporaryFolder folder;
  std::ofstream(folder.file(of_foobar)) << "a long text of a dead process";
  OutputFile(folder.file("foobar"), "journal", Writers::one).commit("new");
  EXPECT_EQ(content_of(folder.file("foobar")), "new");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(SingleWriter, IsKnownToASignalHandlerByItsTemporaryFile) {
  const TemporaryFolder folder;
  const OutputFile file(folder.file("foobar"), "journal", Writers::one);
  remove_unfinished_files();
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(SingleWriter, WritesThroughNoLinkThatHasItsTemporaryName) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("victim")) << "kept";
  fs::create_symlink("victim", folder.file(of_foobar));
  OutputFile(folder.file("foobar"), "journal", Writers::one).commit("new");
  EXPECT_EQ(content_of(folder.file("victim")), "kept");
  EXPECT_EQ(content_of(folder.file("foobar")), "new");
}

TEST(SingleWriter, HasTheUsualPermissions) {
  const TemporaryFolder folder;
  const mode_t mask = ::umask(022);
  OutputFile(folder.file("foobar"), "journal", Writers::one).commit("x");
  ::umask(mask);
  EXPECT_EQ(fs::status(folder.file("foobar")).permissions(), fs::perms(0644));
}

TEST(SingleWriter, IsToldWhatCannotBeWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("missing/report");
  try {
    const OutputFile file(path, "journal", Writers::one);
    ADD_FAILURE() << "accepted";
  } catch (const EnvironmentError& error) {
    EXPECT_EQ(error.what(), "cannot create a file beside the journal " + path + ": No such file or directory");
  }
}

// What is written to directly has a name for people, and nothing to remove.
TEST(OutputFileWithoutTemporary, IsNamedWhileItIsUnfinished) {
  {
    OutputFile file("/dev/null", "report");
    EXPECT_EQ(names_of_unfinished(), "/dev/null");
    remove_unfinished_files();
    EXPECT_TRUE(fs::exists("/dev/null"));
    file.commit("x");
    EXPECT_EQ(names_of_unfinished(), "");
  }
  const OutputFile file("-", "report");
  EXPECT_EQ(names_of_unfinished(), "stdout");
}

TEST(OutputFileThatReplacesLinks, TakesThePlaceOfOne) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("victim")) << "kept";
  for (const char* target : {"victim", "missing", "foobar"}) {
    fs::remove(folder.file("foobar"));
    fs::create_symlink(target, folder.file("foobar"));
    OutputFile(folder.file("foobar"), "journal", Writers::one, Links::replaced).commit("new");
    EXPECT_FALSE(fs::is_symlink(folder.file("foobar"))) << target;
    EXPECT_EQ(content_of(folder.file("foobar")), "new") << target;
  }
  EXPECT_EQ(content_of(folder.file("victim")), "kept");
  EXPECT_EQ(folder.file_count(), 2U);
}

}  // namespace
}  // namespace gpucheck
