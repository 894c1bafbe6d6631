#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(GoldenDiff, NoDifferenceIsCodeZero) {
  const CommandResult result = fixture({"golden", "diff", "proof", "--device", "sim"});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_EQ(result.output, "2 as expected, 0 different, 0 not judged\n");
}

TEST(GoldenDiff, TakesParametersAsARunDoes) {
  const auto with = [](const std::string& parameter) {
    return fixture({"golden", "diff", "demo.parameters", "--device", "sim", "-p", parameter});
  };
  EXPECT_EQ(with("count=7").exit_code, 0) << with("count=7").error_output;
  EXPECT_EQ(with("cuont=7").exit_code, 2);
  EXPECT_THAT(with("cuont=7").error_output, HasSubstr("cuont"));
}

TEST(GoldenDiff, ShowsBothSides) {
  const CommandResult result = fixture({"golden", "diff", "demo.wrong", "--device", "sim"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.output,
            "demo.wrong\n  answer\n    - expected: 42 (seed)\n    + seen:     41\n"
            "0 as expected, 1 different, 0 not judged\n");
}

TEST(GoldenDiff, ShowsGoldensWithoutACase) {
  const CommandResult result = fixture({"golden", "diff", "demo", "--device", "sim"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("demo.lost\n  a golden file, but no case\n"));
}

TEST(GoldenDiff, SkipsAreNotJudged) {
  EXPECT_EQ(fixture({"golden", "diff", "skipped", "--device", "sim"}).exit_code, 3);
}

TEST(GoldenDiff, WhoeverCrashesOrHangsIsDifferent) {
  for (const char* name : {"bad.crashes", "bad.hangs"}) {
    const CommandResult result = fixture({"golden", "diff", name, "--device", "sim", "--timeout", "500ms"});
    EXPECT_EQ(result.exit_code, 1) << name;
    EXPECT_THAT(result.output, HasSubstr("0 as expected, 1 different, 0 not judged\n")) << name;
  }
}

TEST(GoldenApprove, ProposesWhatWasSeenAndSaysWhatToFillIn) {
  const TemporaryFolder folder;
  const CommandResult result =
      fixture({"golden", "approve", "demo.no_golden", "--device", "sim", "--golden", folder / "new"});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("unapproved"), HasSubstr("basis")));
  const json proposal = json::parse(read_file(folder / "new/demo/no_golden.json"));
  EXPECT_EQ(proposal["expect"]["answer"]["equals"], 42);
  EXPECT_EQ(proposal["expect"]["answer"]["basis"], "unapproved");
}

TEST(GoldenApprove, ProposalIsRejectedUntilAPersonFillsItIn) {
  const TemporaryFolder folder;
  const std::vector<std::string> approve{"golden", "approve",  "demo.no_golden", "--device",
                                         "sim",    "--golden", folder.path()};
  ASSERT_EQ(fixture(approve).exit_code, 0);
  const std::vector<std::string> run{"run", "demo.no_golden", "--device", "sim", "--golden", folder.path()};
  const CommandResult rejected = fixture(run);
  EXPECT_EQ(rejected.exit_code, 3);
  EXPECT_THAT(rejected.error_output, AllOf(HasSubstr("no_golden.json"), HasSubstr("basis")));
  EXPECT_EQ(fixture(approve).exit_code, 0) << "a proposal can be proposed again";

  const std::string path = folder / "demo/no_golden.json";
  std::string text = read_file(path);
  const std::string unapproved = "unapproved";
  text.replace(text.find(unapproved), unapproved.size(), "math");
  write_file(path, text);
  EXPECT_EQ(fixture(run).exit_code, 0);
}

TEST(GoldenApprove, LeavesAMatchingFileAlone) {
  const TemporaryFolder folder;
  const std::string text = R"({"case": "demo.wrong", "expect": {"answer": {"equals": 41, "basis": "math"}}})";
  write_file(folder / "demo/wrong.json", text);
  const CommandResult result =
      fixture({"golden", "approve", "demo.wrong", "--device", "sim", "--golden", folder.path()});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_EQ(read_file(folder / "demo/wrong.json"), text);
}

TEST(GoldenApprove, WritesNothingThatItWroteBefore) {
  const TemporaryFolder folder;
  const std::string path = folder / "demo/wrong.json";
  const std::vector<std::string> approve{"golden", "approve",  "demo.wrong", "--device",
                                         "sim",    "--golden", folder.path()};
  ASSERT_EQ(fixture(approve).exit_code, 0);
  const std::string written = read_file(path);
  const auto long_ago = std::filesystem::last_write_time(path) - std::chrono::hours(1);
  std::filesystem::last_write_time(path, long_ago);
  const CommandResult again = fixture(approve);
  EXPECT_EQ(again.exit_code, 0) << again.error_output;
  EXPECT_THAT(again.output, HasSubstr("already says what was seen"));
  EXPECT_EQ(read_file(path), written);
  EXPECT_EQ(std::filesystem::last_write_time(path), long_ago);
}

TEST(GoldenApprove, WritesNothingForACaseThatDidNotEnd) {
  const TemporaryFolder folder;
  const CommandResult result =
      fixture({"golden", "approve", "bad.crashes", "--device", "sim", "--golden", folder.path()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("bad.crashes"), HasSubstr("crash")));
  EXPECT_EQ(read_file(folder / "bad/crashes.json"), "");
}

TEST(GoldenApprove, UnwritableFolderIsSaid) {
  const CommandResult result =
      fixture({"golden", "approve", "demo.no_golden", "--device", "sim", "--golden", "/proc/nowhere"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, HasSubstr("/proc/nowhere/demo/no_golden.json"));
}

CommandResult approve_wrong(const TemporaryFolder& folder) {
  return fixture({"golden", "approve", "demo.wrong", "--device", "sim", "--golden", folder.path()});
}

TEST(GoldenApprove, ReplacesNothingThatItCannotRead) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "demo");
  std::filesystem::create_symlink("wrong.json", folder / "demo/wrong.json");  // permissions do not stop root
  const CommandResult result = approve_wrong(folder);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("cannot read the golden file"), HasSubstr("demo/wrong.json")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "demo/wrong.json"));

  std::filesystem::remove(folder / "demo/wrong.json");
  std::filesystem::create_directories(folder / "demo/wrong.json");
  EXPECT_EQ(approve_wrong(folder).exit_code, 3);
  EXPECT_TRUE(std::filesystem::is_directory(folder / "demo/wrong.json"));
}

TEST(GoldenApprove, WritesWhereALinkLeads) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "demo");
  std::filesystem::create_symlink("../elsewhere.json", folder / "demo/wrong.json");
  for (const char* before : {"", R"({"case": "demo.wrong", "expect": {"answer": {"equals": 40, "basis": "seed"}}})"}) {
    if (*before != 0) write_file(folder / "elsewhere.json", before);
    const CommandResult result = approve_wrong(folder);
    EXPECT_EQ(result.exit_code, 0) << result.error_output;
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "demo/wrong.json"));
    EXPECT_EQ(json::parse(read_file(folder / "elsewhere.json"))["expect"]["answer"]["equals"], 41);
  }
}

}  // namespace
}  // namespace gpucheck::application
