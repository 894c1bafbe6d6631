#include "base/files/file_identity.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace gpucheck {
namespace {

namespace fs = std::filesystem;

TEST(FileIdentity, KnowsOneFileByAnySpelling) {
  const TemporaryFolder folder;
  const std::string path = folder.file("report");
  fs::create_directory(folder.file("below"));
  fs::create_directory_symlink("below/..", folder.file("here"));
  fs::create_symlink("report", folder.file("link"));
  for (const bool exists : {false, true}) {
    if (exists) std::ofstream(path) << "x";
    EXPECT_TRUE(is_same_file(path, path));
    EXPECT_TRUE(is_same_file(path, folder.file("./below/../report")));
    EXPECT_TRUE(is_same_file(path, fs::relative(path).string()));
    EXPECT_TRUE(is_same_file(path, folder.file("here/report")));
    EXPECT_TRUE(is_same_file(folder.file("link"), path)) << exists;
    EXPECT_FALSE(is_same_file(path, folder.file("other")));
  }
  fs::create_hard_link(path, folder.file("twin"));
  EXPECT_TRUE(is_same_file(path, folder.file("twin")));
  std::ofstream(folder.file("other")) << "x";
  EXPECT_FALSE(is_same_file(path, folder.file("other")));
}

TEST(FileIdentity, TakesADashForStdout) {
  testing::internal::CaptureStdout();
  EXPECT_TRUE(is_same_file("-", "/dev/stdout"));
  testing::internal::GetCapturedStdout();
}

TEST(FileIdentity, LosesNothingInDevices) {
  const TemporaryFolder folder;
  fs::create_symlink("/dev/null", folder.file("null"));
  EXPECT_FALSE(is_same_file("/dev/null", folder.file("null")));
  EXPECT_TRUE(is_same_file("/dev/null", "/dev/null"));
}

TEST(FileIdentity, FollowsLinksToTheirEnd) {
  const TemporaryFolder folder;
  fs::create_symlink("second", folder.file("first"));
  fs::create_symlink("missing", folder.file("second"));
  EXPECT_EQ(fs::path(end_of_links(folder.file("first"))).filename(), "missing");
  fs::create_symlink("loop", folder.file("loop"));
  EXPECT_EQ(end_of_links(folder.file("loop")), folder.file("loop"));
}

}  // namespace
}  // namespace gpucheck
