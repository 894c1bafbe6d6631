#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/subprocess.hpp"

// Nothing that a command reads is replaced by what it writes, however the two are spelled.
namespace gpucheck::application {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

constexpr const char* limits =
    R"({"schema": "gpucheck.limits/1", "classes": [{"name": "any", "limits": {"test.value": {"fail_below": 1, "source": "a test"}}}]})";

/// Expects a usage error that says what would be lost, and the file as it was.
void expect_kept(const Words& arguments, const std::string& path, const std::string& named) {
  const std::string before = read_file(path);
  const CommandResult result = fixture(arguments);
  EXPECT_EQ(result.exit_code, 2) << result.error_output;
  EXPECT_THAT(result.error_output, HasSubstr(named));
  EXPECT_EQ(read_file(path), before);
}

TEST(ReplacedFiles, ARunKeepsItsLimits) {
  const TemporaryFolder folder;
  const std::string path = folder / "limits.json";
  write_file(path, limits);
  std::filesystem::create_symlink(path, folder / "link.json");
  std::filesystem::create_hard_link(path, folder / "hard.json");
  for (const std::string& spelled : {path, folder / "./limits.json", folder / "link.json", folder / "hard.json"}) {
    for (const char* option : {"--json", "--junit", "--journal"}) {
      expect_kept({"run", "proof.watchful", "--device", "sim", "--limits", path, option, spelled}, path, "the limits");
    }
  }
  write_file(folder / "r.json.journal", limits);
  expect_kept(
      {"run", "proof.watchful", "--device", "sim", "--limits", folder / "r.json.journal", "--json", folder / "r.json"},
      folder / "r.json.journal", "the limits");
}

TEST(ReplacedFiles, ARunKeepsTheFileThatAParameterNames) {
  const TemporaryFolder folder;
  const std::string path = folder / "kernel.log";
  write_file(path, "a log");
  for (const char* option : {"--json", "--junit", "--journal"}) {
    expect_kept({"run", "proof.watchful", "--device", "sim", "--parameter", "kernel_log=" + path, option, path}, path,
                "would replace what the parameter kernel_log names");
  }
}

TEST(ReplacedFiles, ARunKeepsItsGoldenFiles) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "golden/proof");
  const std::string path = folder / "golden/proof/watchful.json";
  write_file(path, R"({"case": "proof.watchful", "expect": {"a": {"equals": 1, "basis": "seed"}}})");
  std::filesystem::create_directory_symlink(folder / "golden", folder / "other");
  for (const std::string& spelled : {path, folder / "other/proof/watchful.json"}) {
    expect_kept({"run", "proof.watchful", "--device", "sim", "--golden", folder / "golden", "--junit", spelled}, path,
                "the golden files");
  }
}

TEST(ReplacedFiles, NoTraceTakesAReportsOrAnInputsPlace) {
  const TemporaryFolder folder;
  const std::string path = folder / "proof.watchful.sim-h100.json";
  write_file(path, limits);
  const Words run{"run", "proof.watchful", "--device", "sim", "--trace", folder.path()};
  for (const char* option : {"--limits", "--json", "--waivers"}) {
    Words words = run;
    words.insert(words.end(), {option, path});
    expect_kept(words, path, "choose another folder");
  }
}

TEST(ReplacedFiles, LimitsDoNotReplaceTheResultsTheyAreMadeFrom) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.json";
  write_file(path, "{}");
  expect_kept({"baseline", "make", path, "--output", folder / "./r.json"}, path, "a result");
}

TEST(ReplacedFiles, AProposalReplacesNothingThatTheCasesRead) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "proof");
  const std::string path = folder / "proof/watchful.json";
  write_file(path, limits);
  expect_kept({"golden", "approve", "proof.watchful", "--device", "sim", "--golden", folder.path(), "--limits", path},
              path, "the limits");
  expect_kept({"golden", "approve", "proof.watchful", "--device", "sim", "--golden", folder.path(), "--parameter",
               "kernel_log=" + path},
              path, "what the parameter kernel_log names");
}

}  // namespace
}  // namespace gpucheck::application
