#include <cstdint>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/subprocess.hpp"

// Every reader has a bound: a file without an end is refused, with its name and what is the most that is read.
namespace gpucheck::application {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

const Words run = {"run", "proof.watchful", "--device", "sim"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(EndlessFiles, AreRefusedWithTheLimit) {
  const TemporaryFolder folder;
  for (const Words& words : {with(run, {"--limits", "/dev/zero"}), with(run, {"--waivers", "/dev/zero"}),
                             with(run, {"--telemetry", "/dev/zero"}), Words{"report", "/dev/zero"},
                             Words{"baseline", "make", "/dev/zero", "--output", folder / "limits.json"}}) {
    const CommandResult result = fixture(words);
    EXPECT_EQ(result.exit_code, 3) << words.back();
    EXPECT_THAT(result.error_output, AllOf(HasSubstr("/dev/zero: it is longer than"), HasSubstr("MiB"))) << words[0];
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "limits.json"));
}

/// One of many files does not keep the others from being judged. The file of ten million results takes no room: it has
/// a first line, and nothing that was ever written behind it.
TEST(EndlessFiles, AreProblemsOfAMergeThatJudgesTheOthers) {
  const TemporaryFolder folder;
  EXPECT_EQ(fixture(with(run, {"--journal", folder / "n1.journal"})).exit_code, 0);
  std::filesystem::copy(folder / "n1.journal", folder / "n2.journal");
  std::filesystem::resize_file(folder / "n2.journal", std::uintmax_t{5} << 30U);
  for (const std::string& endless : {std::string("/dev/zero"), folder / "n2.journal"}) {
    const CommandResult merged = fixture({"merge", folder / "n1.journal", endless, "--expect-nodes", "1"});
    EXPECT_EQ(merged.exit_code, 3);
    EXPECT_THAT(merged.output, AllOf(HasSubstr("problem: "), HasSubstr(endless + ": it is longer than 256.00 MiB"),
                                     HasSubstr("1 of 1 node passed")));
  }
}

TEST(EndlessFiles, AreNotReadToTheirEndByWhatEndsAtTheFirstByte) {
  for (const char* command : {"replay", "inspect", "advise"}) {
    const CommandResult result = fixture({command, "/dev/zero"});
    EXPECT_EQ(result.exit_code, 3) << command;
    EXPECT_THAT(result.error_output, HasSubstr("/dev/zero: byte 0: expected")) << command;
  }
  const CommandResult nested = shell("yes '[' | $0 inspect /dev/stdin");
  EXPECT_EQ(nested.exit_code, 3);
  EXPECT_THAT(nested.error_output, HasSubstr("/dev/stdin: "));
}

TEST(EndlessFiles, AreNoGoldenFilesAndNoConfiguration) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "golden/proof");
  std::filesystem::create_symlink("/dev/zero", folder / "golden/proof/watchful.json");
  const CommandResult result = fixture(with(run, {"--golden", folder / "golden"}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("a golden file for this case"));
  const CommandResult configured = fixture(with(run, {"--config", "/dev/zero"}));
  EXPECT_EQ(configured.exit_code, 2);
  EXPECT_THAT(configured.error_output, HasSubstr("/dev/zero is not a regular file"));
}

}  // namespace
}  // namespace gpucheck::application
