#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "schema.hpp"
#include "tests/support/subprocess.hpp"

/// Which file a run reads, and where it is named.
namespace gpucheck::application {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A folder with a configuration, and a command in a folder below it.
class ConfigCommand : public ::testing::Test {
 protected:
  ConfigCommand() {
    std::filesystem::create_directories(folder_ / "below/deeper");
    write_file(path(), "max_skips = 9\n[profile.quiet]\nquiet = true\n");
    ::chmod(path().c_str(), 0644);
  }

  [[nodiscard]] std::string path() const { return folder_ / "gpucheck.toml"; }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

  /// In the folder below, with these words in a shell; environment before the program's name.
  [[nodiscard]] CommandResult in_below(const std::string& words, const std::string& environment = "") const {
    return shell(fmt::format("cd {}/below/deeper && {} \"$0\" {}", folder_.path(), environment, words));
  }
  [[nodiscard]] CommandResult run(const std::string& words, const std::string& environment = "") const {
    return in_below("run demo.parameters --device sim " + words, environment);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(ConfigCommand, AFileUpwardIsInForceAndNamedOnTheConsole) {
  const CommandResult result = run("");
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_THAT(result.output, HasSubstr("config " + path() + ": max_skips = 9\n"));
  EXPECT_THAT(run("-q").output, HasSubstr("config " + path() + ": max_skips = 9\n"));
  EXPECT_THAT(run("--max-skips 1").output, HasSubstr("config " + path() + ": it changes nothing\n"));
  EXPECT_THAT(run("-q --max-skips 1").output, Not(HasSubstr("config")));
}

TEST_F(ConfigCommand, NoConfigReadsNone) {
  write_file(path(), "not toml");
  EXPECT_EQ(run("").exit_code, 2);
  for (const char* environment : {"", "GPUCHECK_CONFIG=/nowhere.toml"}) {
    const CommandResult result = run("--no-config", environment);
    EXPECT_EQ(result.exit_code, 0) << result.error_output;
    EXPECT_THAT(result.output, Not(HasSubstr("config")));
  }
  EXPECT_EQ(run("--no-config --config x").exit_code, 2);
  EXPECT_EQ(run("--no-config --profile x").exit_code, 2);
}

TEST_F(ConfigCommand, AProfileIsChosenAndNamed) {
  const CommandResult result = run("--profile quiet");
  EXPECT_THAT(result.output, HasSubstr("config " + path() + ", profile quiet: max_skips = 9, quiet = true\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("PASS  ")));
  const CommandResult unknown = run("--profile loud");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.error_output, AllOf(HasSubstr("\"loud\""), HasSubstr("it has: quiet")));
}

TEST_F(ConfigCommand, WithoutAFileAProfileIsAMistake) {
  std::filesystem::remove(path());
  EXPECT_THAT(run("").output, Not(HasSubstr("config")));
  const CommandResult result = run("--profile quiet", "HOME=" + folder().path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, HasSubstr("no gpucheck.toml"));
}

TEST_F(ConfigCommand, TheNearestIsTakenAndNoneBeyondTheHome) {
  write_file(folder() / "below/gpucheck.toml", "max_skips = 8\n");
  EXPECT_THAT(run("").output, HasSubstr("below/gpucheck.toml: max_skips = 8\n"));
  std::filesystem::remove(folder() / "below/gpucheck.toml");
  EXPECT_THAT(run("", "HOME=" + folder().path()).output, HasSubstr("max_skips = 9"));
  EXPECT_THAT(run("", "HOME=" + folder() / "below").output, Not(HasSubstr("config")));
}

TEST_F(ConfigCommand, OneIsNamedByTheOptionElseByTheEnvironment) {
  write_file(folder() / "a.toml", "max_skips = 1\n");
  write_file(folder() / "b.toml", "max_skips = 2\n");
  EXPECT_THAT(run("", "GPUCHECK_CONFIG=../../a.toml").output, HasSubstr("/a.toml: max_skips = 1\n"));
  EXPECT_THAT(run("--config ../../b.toml", "GPUCHECK_CONFIG=../../a.toml").output,
              HasSubstr("config " + folder() / "b.toml" + ": max_skips = 2\n"));
  EXPECT_THAT(run("", "GPUCHECK_CONFIG=").output, HasSubstr("max_skips = 9"));
  const CommandResult missing = run("--config missing.toml");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.error_output, AllOf(HasSubstr("missing.toml"), HasSubstr("No such file")));
}

TEST_F(ConfigCommand, AFoundFileThatOthersCanWriteIsNotReadANamedOneIs) {
  ::chmod(path().c_str(), 0666);
  const CommandResult result = run("");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr(path()), HasSubstr("written by everybody"), HasSubstr("--config")));
  EXPECT_EQ(run("--config ../../gpucheck.toml").exit_code, 0);
  ::chmod(path().c_str(), 0664);
  EXPECT_EQ(run("").exit_code, 0) << "a group of one's own";
}

TEST_F(ConfigCommand, AFoundFileOfAnotherUserIsNotRead) {
  if (::chown(path().c_str(), 12345, static_cast<gid_t>(-1)) != 0) GTEST_SKIP() << "only root can give files away";
  const CommandResult result = run("");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, HasSubstr("another user"));
  EXPECT_EQ(run("--config ../../gpucheck.toml").exit_code, 0);
}

TEST_F(ConfigCommand, AFoundFileOfOnesOwnOrOfRootIsRead) {
  const auto give = [](const std::string& what, uid_t owner) {
    return ::chown(what.c_str(), owner, static_cast<gid_t>(-1)) == 0;
  };
  if (!give(folder().path(), 12345)) GTEST_SKIP() << "only root can give files away";
  const std::string as_user = "setpriv --reuid 12345 --clear-groups";
  if (in_below("--version", as_user).exit_code != 0) GTEST_SKIP() << "no setpriv here, or this program is root's alone";
  EXPECT_EQ(run("", as_user).exit_code, 0) << "root's";
  EXPECT_TRUE(give(path(), 12345));
  EXPECT_EQ(run("", as_user).exit_code, 0) << "one's own";
  EXPECT_TRUE(give(path(), 54321));
  EXPECT_EQ(run("", as_user).exit_code, 2) << "another user's";
}

TEST_F(ConfigCommand, WhatIsNotAFileOrTooLargeIsAMistake) {
  ASSERT_EQ(::mkfifo((folder() / "fifo").c_str(), 0600), 0);
  for (const std::string& name : {folder() / "fifo", folder().path(), std::string("/dev/zero")}) {
    const CommandResult result = run("--config " + name);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error_output, HasSubstr("not a regular file")) << name;
  }
  std::filesystem::remove(path());
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_THAT(run("").error_output, HasSubstr("not a regular file"));
  std::filesystem::remove(path());
  write_file(path(), "#" + std::string(1 << 20, 'x'));
  const CommandResult large = run("");
  EXPECT_EQ(large.exit_code, 2);
  EXPECT_THAT(large.error_output, HasSubstr("1024.00 KiB"));
}

TEST_F(ConfigCommand, EveryReportNamesTheFile) {
  std::string outputs;
  const std::vector<std::string> formats{"json", "junit", "journal", "ctrf", "github", "markdown", "prometheus"};
  write_file(path(), "max_skips = 9\n");
  for (const std::string& format : formats) outputs += fmt::format(" --output {}={}", format, folder() / format);
  ASSERT_EQ(run(outputs).exit_code, 0);
  for (const std::string& format : formats) {
    EXPECT_THAT(read_file(folder() / format), AllOf(HasSubstr(path()), HasSubstr("max_skips"))) << format;
  }
  const auto result = nlohmann::json::parse(read_file(folder() / "json"));
  EXPECT_EQ(result["config"]["settings"][0], nlohmann::json({{"key", "max_skips"}, {"value", "9"}, {"line", 1}}));
  const CommandResult again = fixture({"report", folder() / "journal", "--json", folder() / "again.json"});
  EXPECT_THAT(again.output, HasSubstr("config " + path()));
  EXPECT_EQ(read_file(folder() / "again.json"), read_file(folder() / "json"));
}

TEST_F(ConfigCommand, WhatAFileDecidesIsDoneAndWrittenBesideIt) {
  write_file(path(), "no_journal = true\n[parameters]\ncount = 7\n[outputs]\njson = 'out.json'\n");
  ASSERT_EQ(run("").exit_code, 0);
  const auto result = nlohmann::json::parse(read_file(folder() / "out.json"));
  EXPECT_EQ(result["cases"][0]["parameters"]["count"], 7);
  EXPECT_FALSE(std::filesystem::exists(folder() / "out.json.journal"));
  EXPECT_THAT(result["cases"][0]["rerun_command"].get<std::string>(),
              AllOf(HasSubstr("count=7"), ::testing::EndsWith(" --no-config")));
}

TEST_F(ConfigCommand, ParametersThatNoSelectedCaseHasAreLeftOut) {
  write_file(path(), "max_skips = 9\n[parameters]\ncount = 7\n");
  const CommandResult other = in_below("run demo.no_golden --device sim --json " + folder() / "out.json");
  EXPECT_NE(other.exit_code, 2) << other.error_output;
  const auto settings = nlohmann::json::parse(read_file(folder() / "out.json"))["config"]["settings"];
  ASSERT_EQ(settings.size(), 1U) << settings;
  EXPECT_EQ(settings[0]["key"], "max_skips");
  write_file(path(), "[parameters]\ncuont = 7\n");
  const CommandResult unknown = run("");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.error_output, AllOf(HasSubstr(path() + ":2:"), HasSubstr("\"cuont\"")));
}

TEST_F(ConfigCommand, NoReportReplacesTheFile) {
  const CommandResult result = run("--json ../../gpucheck.toml");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, HasSubstr("would replace the configuration"));
}

TEST_F(ConfigCommand, ShowNamesEveryKeyAndItsSource) {
  const CommandResult text = in_below("config show --profile quiet");
  EXPECT_EQ(text.exit_code, 0) << text.error_output;
  EXPECT_THAT(text.output, AllOf(HasSubstr(path() + "\nprofile quiet\n"),
                                 ::testing::ContainsRegex("max_skips +9 +" + path() + ":1\n"),
                                 ::testing::ContainsRegex("quiet +true +" + path() + ":3 .profile quiet"),
                                 ::testing::ContainsRegex("suite +all +default\n")));
  const CommandResult json = in_below("config show --json");
  EXPECT_EQ(report::json_schema_complaints(json.output), "");
  const auto document = nlohmann::json::parse(json.output);
  EXPECT_EQ(document["profiles"], nlohmann::json({"quiet"}));
  EXPECT_EQ(document["settings"].size(), 30U);
  const CommandResult none = in_below("config show --no-config");
  EXPECT_THAT(none.output, AllOf(HasSubstr("no configuration file"), Not(HasSubstr(path()))));
  EXPECT_EQ(report::json_schema_complaints(in_below("config show --no-config --json").output), "");
}

TEST_F(ConfigCommand, ShowFindsWhatARunWouldNotTake) {
  write_file(path(), "timeout = '5'\n");
  const CommandResult result = in_below("config show");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, HasSubstr(path() + ":1: timeout:"));
}

TEST_F(ConfigCommand, OtherCommandsReadNone) {
  write_file(path(), "not toml");
  EXPECT_EQ(in_below("list").exit_code, 0);
  EXPECT_EQ(in_below("demo parameters --device sim").exit_code, 0);
  EXPECT_EQ(in_below("config schema").exit_code, 0);
}

}  // namespace
}  // namespace gpucheck::application
