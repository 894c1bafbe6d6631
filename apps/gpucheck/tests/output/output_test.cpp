// --output FORMAT=FILE: every format that there is, the short forms, and what two outputs may not be.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/formats/formats.hpp"
#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

const Words one_case{"run", "proof.watchful", "--device", "sim"};

CommandResult run_with(const Words& more) {
  Words words = one_case;
  words.insert(words.end(), more.begin(), more.end());
  return fixture(words);
}

std::string named(const report::Format& format, const std::string& path) {
  return std::string(format.name) + "=" + path;
}

TEST(Output, OfEveryFormatIsWrittenByRunAndByReport) {
  const TemporaryFolder folder;
  Words asked;
  for (const report::Format& format : report::formats()) {
    asked.insert(asked.end(), {"--output", named(format, folder / std::string(format.name))});
  }
  ASSERT_EQ(run_with(asked).exit_code, 0);
  for (const report::Format& format : report::formats()) {
    const std::string of_run = read_file(folder / std::string(format.name));
    EXPECT_NE(of_run, "") << format.name;
    if (format.write == nullptr) continue;
    const std::string again = folder / "again";
    EXPECT_EQ(fixture({"report", folder / "journal", "--output", named(format, again)}).exit_code, 0);
    EXPECT_EQ(read_file(again), of_run) << format.name << ": byte for byte";
    EXPECT_EQ(fixture({"report", folder / "journal", "--output", named(format, "-")}).output, of_run) << format.name;
  }
}

TEST(Output, OnStdoutLeavesTheConsoleToStderr) {
  const CommandResult result = run_with({"--output", "markdown=-"});
  EXPECT_THAT(result.output, StartsWith("## gpucheck: PASSED\n"));
  EXPECT_THAT(result.error_output, HasSubstr("PASSED  1 passed"));
}

TEST(Output, SaysWhichCommandMadeIt) {
  const TemporaryFolder folder;
  run_with({"--json", folder / "a.json"});
  const auto words =
      nlohmann::json::parse(read_file(folder / "a.json")).at("command_line").get<std::vector<std::string>>();
  ASSERT_GE(words.size(), 3U);
  EXPECT_EQ(words[1], "run");
  EXPECT_EQ(words.back(), folder / "a.json");
  EXPECT_EQ(words[words.size() - 2], "--json");
}

TEST(Output, HasShortForms) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_with({"--json", folder / "a.json", "--output", "json=" + (folder / "b.json")}).exit_code, 0);
  const auto without_command_line = [](const std::string& path) {
    auto document = nlohmann::json::parse(read_file(path));
    document.erase("command_line");
    return document;
  };
  EXPECT_EQ(without_command_line(folder / "a.json"), without_command_line(folder / "b.json"));
  EXPECT_TRUE(std::filesystem::exists(folder / "a.json.journal")) << "beside the first";
  EXPECT_FALSE(std::filesystem::exists(folder / "b.json.journal"));
}

TEST(Output, OfJsonHasAJournalBesideItUnlessOneIsNamed) {
  const TemporaryFolder folder;
  run_with({"--output", "json=" + (folder / "a.json")});
  EXPECT_TRUE(std::filesystem::exists(folder / "a.json.journal"));
  run_with({"--output", "json=" + (folder / "b.json"), "--output", "journal=" + (folder / "j")});
  EXPECT_TRUE(std::filesystem::exists(folder / "j"));
  EXPECT_FALSE(std::filesystem::exists(folder / "b.json.journal"));
  run_with({"--output", "json=" + (folder / "c.json"), "--no-journal"});
  EXPECT_FALSE(std::filesystem::exists(folder / "c.json.journal"));
}

TEST(Output, OfTwoFormatsIsNeverOneFile) {
  const TemporaryFolder folder;
  for (const report::Format& first : report::formats()) {
    for (const report::Format& second : report::formats()) {
      const CommandResult result =
          run_with({"--output", named(first, folder / "f"), "--output", named(second, folder / "./f")});
      EXPECT_EQ(result.exit_code, 2) << first.name << " and " << second.name;
      EXPECT_THAT(result.error_output, HasSubstr("one file"));
    }
  }
}

TEST(Output, ReplacesNoInput) {
  const TemporaryFolder folder;
  write_file(folder / "waivers.json", "{}");
  run_with({"--journal", folder / "j"});
  const std::string journal = read_file(folder / "j");
  for (const report::Format& format : report::formats()) {
    const CommandResult run =
        run_with({"--waivers", folder / "waivers.json", "--output", named(format, folder / "waivers.json")});
    EXPECT_EQ(run.exit_code, 2) << format.name;
    EXPECT_THAT(run.error_output, HasSubstr("would replace the waivers"));
    EXPECT_EQ(fixture({"report", folder / "j", "--output", named(format, folder / "j")}).exit_code, 2) << format.name;
  }
  EXPECT_EQ(read_file(folder / "waivers.json"), "{}");
  EXPECT_EQ(read_file(folder / "j"), journal);
}

TEST(Output, ThatCannotBeWrittenIsSaidBeforeAnythingRuns) {
  for (const report::Format& format : report::formats()) {
    const CommandResult result = run_with({"--output", named(format, "/nonexistent/f")});
    EXPECT_EQ(result.exit_code, 3) << format.name;
    EXPECT_THAT(result.error_output, HasSubstr("/nonexistent/f"));
    EXPECT_THAT(result.output, Not(HasSubstr("proof.watchful")));
  }
}

TEST(Output, ThatIsLostCostsThePass) {
  for (const report::Format& format : report::formats()) {
    const CommandResult result = run_with({"--output", named(format, "/dev/full")});
    EXPECT_EQ(result.exit_code, 3) << format.name << result.error_output;
    EXPECT_THAT(result.error_output, HasSubstr("/dev/full"));
  }
}

TEST(Output, OfNoFormatIsAMistake) {
  for (const auto& [word, says] :
       std::initializer_list<std::pair<const char*, const char*>>{{"xml=f", "\"xml\" is not a format"},
                                                                  {"json", "is not FORMAT=FILE"},
                                                                  {"json=", "is not FORMAT=FILE"},
                                                                  {"=f", "\"\" is not a format"}}) {
    const CommandResult result = run_with({"--output", word});
    EXPECT_EQ(result.exit_code, 2) << word;
    EXPECT_THAT(result.error_output, HasSubstr(says)) << word;
  }
  EXPECT_THAT(fixture({"report", "j", "--output", "journal=k"}).error_output, HasSubstr("is what this command reads"));
}

TEST(Output, IsExplainedInHelpTexts) {
  for (const report::Format& format : report::formats()) {
    const std::string text = std::string(format.name) + " (" + std::string(format.summary) + ")";
    EXPECT_THAT(fixture({"run", "--help"}).output, HasSubstr(text));
    EXPECT_EQ(fixture({"run", "--help"}).output.find("--" + std::string(format.name) + " FILE") != std::string::npos,
              format.has_short_form);
  }
}

TEST(Output, OfSeveralRunsIsOneDocumentInEachFormat) {
  const TemporaryFolder folder;
  for (const char* name : {"proof.watchful", "demo.wrong"}) {
    fixture({"run", name, "--device", "sim", "--journal", folder / name});
  }
  for (const report::Format& format : report::formats()) {
    if (format.write == nullptr) continue;
    const CommandResult result = fixture(
        {"report", folder / "proof.watchful", folder / "demo.wrong", "--output", named(format, folder / "all")});
    EXPECT_EQ(result.exit_code, 1) << format.name;
    EXPECT_THAT(read_file(folder / "all"), HasSubstr(format.name == "junit" ? "wrong" : "demo.wrong")) << format.name;
  }
}

}  // namespace
}  // namespace gpucheck::application
