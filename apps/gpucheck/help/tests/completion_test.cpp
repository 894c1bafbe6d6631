#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

/// The words that may stand in place of the last one, without what they mean.
std::vector<std::string> completed(const std::vector<std::string>& words) {
  std::string joined = "gpucheck";
  for (const std::string& word : words) joined += '\x1f' + word;
  const CommandResult result = gpucheck({"help", "--complete=" + joined});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin < result.output.size();) {
    const std::size_t end = result.output.find('\n', begin);
    const std::string line = result.output.substr(begin, end - begin);
    EXPECT_EQ(std::ranges::count(line, '\t'), 1) << line;
    found.push_back(line.substr(0, line.find('\t')));
    begin = end + 1;
  }
  EXPECT_TRUE(std::ranges::is_sorted(found));
  return found;
}

TEST(Completion, OfTheFirstWordIsCommandsAndGroups) {
  EXPECT_THAT(completed({""}), IsSupersetOf({"run", "merge", "help", "alloc", "stress"}));
  EXPECT_THAT(completed({"me"}), ElementsAre("memtest", "merge"));
  EXPECT_THAT(completed({"nothing"}), IsEmpty());
  EXPECT_THAT(completed({"baseline", ""}), Contains("make"));
}

TEST(Completion, OfOptionsIsThoseOfTheCommandAndOfAll) {
  EXPECT_THAT(completed({"run", "--su"}), ElementsAre("--suite"));
  EXPECT_THAT(completed({"run", "--ver"}), ElementsAre("--verbose", "--version"));
  EXPECT_THAT(completed({"merge", "--su"}), IsEmpty());
  EXPECT_THAT(completed({"run", "-"}), IsSupersetOf({"-p", "-j", "--parameter"}));
}

TEST(Completion, OfCasesIsTheirNamesAndGroups) {
  EXPECT_THAT(completed({"run", "alloc.fu"}), ElementsAre("alloc.fuzz"));
  EXPECT_THAT(completed({"run", "alloc."}), IsSupersetOf({"alloc.*", "alloc.fuzz"}));
  EXPECT_THAT(completed({"run", "alloc.fuzz", "alloc.fu"}), ElementsAre("alloc.fuzz")) << "there may be several";
  EXPECT_THAT(completed({"describe", "alloc.fu"}), ElementsAre("alloc.fuzz"));
  EXPECT_THAT(completed({"describe", ""}), Not(Contains("alloc.*"))) << "one case, not many";
  EXPECT_THAT(completed({"run", "--exclude", "alloc.fu"}), ElementsAre("alloc.fuzz"));
}

TEST(Completion, BehindAGroupIsItsCasesAndTheirParameters) {
  EXPECT_THAT(completed({"alloc", "fu"}), ElementsAre("fuzz"));
  EXPECT_THAT(completed({"alloc", "fuzz", "--li"}), ElementsAre("--limits", "--live-bytes"));
  EXPECT_THAT(completed({"alloc", "fuzz", ""}), IsEmpty());
  EXPECT_THAT(completed({"alloc", "nothing", "--li"}), IsEmpty());
}

TEST(Completion, OfAValueIsWhatTheOptionTakes) {
  EXPECT_THAT(completed({"run", "--suite", ""}),
              ElementsAre("acceptance", "all", "burn", "fabric", "quick", "seeds", "watch"));
  EXPECT_THAT(completed({"run", "--suite=q"}), ElementsAre("--suite=quick"));
  EXPECT_THAT(completed({"run", "--color", ""}), ElementsAre("always", "auto", "never"));
  EXPECT_THAT(completed({"run", "--shard", ""}), ElementsAre("auto"));
  EXPECT_THAT(completed({"run", "--allocator", ""}), ElementsAre("async", "caching"));
  EXPECT_THAT(completed({"run", "--device", "sim:h"}), ElementsAre("sim:h100", "sim:h200"));
  EXPECT_THAT(completed({"run", "--output", "j"}), ElementsAre("journal=", "json=", "junit="));
  EXPECT_THAT(completed({"merge", "x", "--output", "j"}), ElementsAre("json=", "junit="));
  EXPECT_THAT(completed({"run", "-p", "live_b"}), ElementsAre("live_bytes="));
  EXPECT_THAT(completed({"run", "--seed", ""}), IsEmpty()) << "any number";
  EXPECT_THAT(completed({"run", "--json", ""}), IsEmpty()) << "a file: the shell knows those";
  EXPECT_THAT(completed({"run", "--nothing=x"}), IsEmpty());
}

TEST(Completion, TakesAValueForNoCommandAndAFlagForNoOptionWithAValue) {
  EXPECT_THAT(completed({"run", "--journal", "merge", "--su"}), ElementsAre("--suite"));
  EXPECT_THAT(completed({"run", "--shuffle", "alloc.fu"}), ElementsAre("alloc.fuzz"));
  EXPECT_THAT(completed({"run", "--seed=5", "alloc.fu"}), ElementsAre("alloc.fuzz"));
}

TEST(Completion, OfHelpIsTopicsAndCommands) {
  EXPECT_THAT(completed({"help", "e"}), IsSupersetOf({"environment", "exit-codes", "explain"}));
}

TEST(Completion, OfNothingIsWhatMayComeFirst) {
  EXPECT_EQ(gpucheck({"help", "--complete=gpucheck"}).output, gpucheck({"help", "--complete=gpucheck\x1f"}).output);
}

}  // namespace
}  // namespace gpucheck::application
