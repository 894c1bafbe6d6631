#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The groups of the real binary's cases.
std::set<std::string> groups() {
  std::istringstream names(gpucheck({"list", "--plain"}).output);
  std::set<std::string> found;
  for (std::string name; std::getline(names, name);) found.insert(name.substr(0, name.find('.')));
  return found;
}

TEST(Groups, EachIsASubcommand) {
  ASSERT_FALSE(groups().empty());
  for (const std::string& group : groups()) {
    const CommandResult result = gpucheck({group, "--help"});
    EXPECT_EQ(result.exit_code, 0) << group;
    EXPECT_THAT(result.output, HasSubstr("Run one of the " + group + " cases"));
  }
}

TEST(Groups, SnapshotIsOneAndInspectReadsFiles) {
  EXPECT_THAT(gpucheck({"snapshot", "--help"}).output, AllOf(HasSubstr("plots"), Not(HasSubstr("--html"))));
  EXPECT_THAT(gpucheck({"snapshot", "plots", "--help"}).output, HasSubstr("--save-to"));
  EXPECT_THAT(gpucheck({"inspect", "--help"}).output, HasSubstr("--html"));
}

}  // namespace
}  // namespace gpucheck::application
