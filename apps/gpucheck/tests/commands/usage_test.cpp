#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

/// A command line that is rejected, and words that must be in the message.
struct Rejection {
  Words arguments;
  int exit_code;
  Words message;
};

/// For the tests' names.
void PrintTo(const Rejection& rejection, std::ostream* stream) {
  *stream << "gpucheck";
  for (const std::string& word : rejection.arguments) *stream << ' ' << word;
}

class RejectionTest : public ::testing::TestWithParam<Rejection> {};

TEST_P(RejectionTest, SaysWhyOnStderrAlone) {
  const CommandResult result = fixture(GetParam().arguments);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.error_output;
  EXPECT_THAT(result.error_output, StartsWith("gpucheck: "));
  for (const std::string& words : GetParam().message) EXPECT_THAT(result.error_output, HasSubstr(words));
  EXPECT_EQ(result.output, "");
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, RejectionTest,
    ::testing::Values(Rejection{{}, 2, {"subcommand"}}, Rejection{{"frobnicate"}, 2, {"\"frobnicate\"", "--help"}},
                      Rejection{{"demo.wrong"}, 2, {"gpucheck run demo.wrong"}},
                      Rejection{{"run", "--nosuch"}, 2, {"--nosuch"}},
                      Rejection{{"list", "--json", "--plain"}, 2, {"--json"}}, Rejection{{"describe"}, 2, {"case"}},
                      Rejection{{"golden"}, 2, {"subcommand"}}, Rejection{{"demo"}, 2, {"subcommand"}},
                      Rejection{{"golden", "approve", "demo.wrong"}, 2, {"--golden"}},
                      Rejection{{"run", "--quiet", "--verbose"}, 2, {"--quiet"}},
                      Rejection{{"run", "--isolate", "thread"}, 2, {"worker", "process"}},
                      Rejection{{"run", "--timeout", "5"}, 2, {"\"5\"", "500ms"}},
                      Rejection{{"run", "--shard", "3/2"}, 2, {"3/2", "2/8"}},
                      Rejection{{"run", "--repeat", "0"}, 2, {"--repeat", "1"}},
                      Rejection{{"run", "--jobs", "many"}, 2, {"--jobs", "from 0 to 1024"}},
                      Rejection{{"run", "--seed", "-1"}, 2, {"\"-1\"", "18446744073709551615"}},
                      Rejection{{"run", "--color", "pink"}, 2, {"always", "never"}}));

INSTANTIATE_TEST_SUITE_P(
    WrongWords, RejectionTest,
    ::testing::Values(Rejection{{"-V"}, 2, {"-V"}}, Rejection{{"demo", "nope"}, 2, {"\"demo.nope\"", "nearest"}},
                      Rejection{{"demo", "--json", "x", "nope"}, 2, {"not understood here", "nope"}},
                      Rejection{{"golden", "bogus"}, 2, {"\"bogus\"", "diff, approve"}},
                      Rejection{{"info", "--device", "sim"}, 2, {"--device sim"}},
                      Rejection{{"list", "--one", "--two"}, 2, {"--one --two"}}));

INSTANTIATE_TEST_SUITE_P(
    EmptyValues, RejectionTest,
    ::testing::Values(Rejection{{"run", "demo.wrong", "--json", ""}, 2, {"--json", "empty"}},
                      Rejection{{"run", "demo.wrong", "--json="}, 2, {"--json", "empty"}},
                      Rejection{{"run", "demo.wrong", "--junit", ""}, 2, {"--junit", "empty"}},
                      Rejection{{"run", "demo.wrong", "--journal", ""}, 2, {"--journal", "empty"}},
                      Rejection{{"run", "demo.wrong", "--waivers", ""}, 2, {"--waivers", "empty"}},
                      Rejection{{"run", "demo.wrong", "--golden", ""}, 2, {"--golden", "empty"}},
                      Rejection{{"run", "demo.wrong", "--device", ""}, 2, {"--device", "empty"}},
                      Rejection{{"run", "demo.wrong", "--fault", ""}, 2, {"--fault", "empty"}},
                      Rejection{{"run", ""}, 2, {"empty"}}, Rejection{{"describe", ""}, 2, {"empty"}},
                      Rejection{{"demo", "wrong", "--junit", ""}, 2, {"--junit", "empty"}},
                      Rejection{{"golden", "approve", "demo.wrong", "--golden", ""}, 2, {"--golden", "empty"}},
                      Rejection{{"describe", "demo.wrong", "--golden="}, 2, {"--golden", "empty"}},
                      Rejection{{"inspect", "x", "--html", ""}, 2, {"--html", "empty"}},
                      Rejection{{"report", ""}, 2, {"empty"}},
                      Rejection{{"replay", "x", "--trace", ""}, 2, {"--trace"}}));

INSTANTIATE_TEST_SUITE_P(
    OptionsAsValues, RejectionTest,
    ::testing::Values(Rejection{{"run", "demo.wrong", "--json", "--fail-fast"}, 2, {"--json", "\"./--fail-fast\""}},
                      Rejection{{"run", "demo.wrong", "--junit", "-q"}, 2, {"--junit", "\"-q\""}},
                      Rejection{{"run", "demo.wrong", "--golden", "--shuffle"}, 2, {"--golden", "--shuffle"}},
                      Rejection{{"run", "demo.wrong", "--exclude", "--shuffle"}, 2, {"--exclude", "--shuffle"}},
                      Rejection{{"demo", "wrong", "--json", "--fail-fast"}, 2, {"--json", "\"./--fail-fast\""}},
                      Rejection{{"golden", "diff", "--golden", "--jobs"}, 2, {"--golden", "--jobs"}},
                      Rejection{{"inspect", "x", "--html", "--json"}, 2, {"--html", "--json"}},
                      Rejection{{"replay", "x", "--settings", "--json"}, 2, {"--settings", "--json"}}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, RejectionTest,
    ::testing::Values(Rejection{{"run", "demo.wrong", "--repeat", "0x10"}, 2, {"--repeat", "\"0x10\""}},
                      Rejection{{"run", "demo.wrong", "--retries", "1e1"}, 2, {"--retries", "\"1e1\""}},
                      Rejection{{"inspect", "x", "--device-index", "0x1"}, 2, {"--device-index", "\"0x1\""}},
                      Rejection{{"replay", "x", "--device-index", "-1"}, 2, {"--device-index", "\"-1\""}}));

INSTANTIATE_TEST_SUITE_P(
    Cases, RejectionTest,
    ::testing::Values(Rejection{{"run", "demo.wrnog"}, 2, {"demo.wrnog", "demo.wrong"}},
                      Rejection{{"prove", "demo.wrnog"}, 2, {"demo.wrong"}},
                      Rejection{{"golden", "diff", "demo.wrnog"}, 2, {"demo.wrong"}},
                      Rejection{{"run", "nothing.*"}, 3, {"\"nothing.*\"", "gpucheck list"}},
                      Rejection{{"list", "nothing.*"}, 3, {"\"nothing.*\""}},
                      Rejection{{"run", "--suite", "best"}, 2, {"\"best\"", "all", "quick"}},
                      Rejection{{"run", "proof.watchful", "--fault", "gremlins"}, 2, {"gremlins", "describe"}}));

INSTANTIATE_TEST_SUITE_P(
    Parameters, RejectionTest,
    ::testing::Values(Rejection{{"run", "demo.parameters", "-p", "count"}, 2, {"name=value"}},
                      Rejection{{"run", "demo.parameters", "-p", "count=0"}, 2, {"count", "from 1 to 100"}},
                      Rejection{{"run", "demo.parameters", "-p", "count=1", "-p", "count=2"}, 2, {"count", "twice"}},
                      Rejection{{"demo", "parameters", "--count", "1", "--count", "2"}, 2, {"--count"}},
                      Rejection{{"demo", "parameters", "--careful", "--no-careful"}, 2, {"--careful"}},
                      Rejection{{"run", "demo.parameters", "-p", "count=ten"}, 2, {"\"ten\"", "from 1 to 100"}},
                      Rejection{{"run", "demo.parameters", "-p", "careful=yes"}, 2, {"true or false"}},
                      Rejection{{"run", "demo.parameters", "-p", "size=1"}, 2, {"\"size\"", "count"}},
                      Rejection{
                          {"run", "demo.wrong", "-p", "count=1"}, 2, {"\"count\"", "none of them has any parameter"}},
                      Rejection{{"demo", "parameters", "--count", "101"}, 2, {"count", "from 1 to 100"}},
                      Rejection{{"demo", "parameters", "--size", "101"}, 2, {"--size"}}));

INSTANTIATE_TEST_SUITE_P(
    Devices, RejectionTest,
    ::testing::Values(Rejection{{"run", "demo.wrong", "--device", "gpu"}, 2, {"\"gpu\"", "sim:PROFILE"}},
                      Rejection{{"run", "demo.wrong", "--device", "sim:nosuch"}, 2, {"nosuch", "h100"}},
                      Rejection{{"prove", "demo.wrong", "--device", "sim:devices=0"}, 2, {"1 to 64"}}));

INSTANTIATE_TEST_SUITE_P(
    Paths, RejectionTest,
    ::testing::Values(
        Rejection{{"run", "bad.hangs", "--device", "sim", "--json", "/nonexistent/r.json"}, 3, {"/nonexistent/r.json"}},
        Rejection{{"run", "bad.hangs", "--device", "sim", "--junit", "/nonexistent/r.xml"}, 3, {"/nonexistent/r.xml"}},
        Rejection{{"run", "demo.wrong", "--json", "a", "--junit", "./a"}, 2, {"--json", "--junit"}},
        Rejection{{"run", "demo.wrong", "--golden", "/nonexistent"}, 3, {"/nonexistent"}},
        Rejection{{"run", "demo.wrong", "--device", "sim", "--json", "/nonexistent/x.json"},
                  3,
                  {"the report /nonexistent/x.json:"}},
        Rejection{{"describe", "demo.wrong", "--golden", "/nonexistent"}, 3, {"/nonexistent"}}));

TEST(Rejections, CudaWithoutADeviceGivesTheReason) {
  const CommandResult result = fixture({"run", "demo.wrong", "--device", "cuda"});
  if (result.exit_code == 1) GTEST_SKIP() << "this machine has a CUDA device";
  EXPECT_EQ(result.exit_code, 3);
  const bool built_with_cuda = fixture({"--version"}).output.find("no CUDA toolkit") == std::string::npos;
  // With CUDA the run goes on, for what needs no device, and its report says why.
  EXPECT_THAT(built_with_cuda ? result.output : result.error_output,
              HasSubstr(built_with_cuda ? "cudaError" : "built without a CUDA toolkit"));
  EXPECT_THAT(result.output, Not(HasSubstr("PASSED")));
}

TEST(Rejections, TwoSpellingsOfOneFileForTwoReports) {
  const TemporaryFolder folder;
  write_file(folder / "report", "old");
  std::filesystem::create_symlink("report", folder / "link");
  std::filesystem::create_symlink("missing", folder / "dangling");
  const std::string relative = std::filesystem::relative(folder / "report").string();
  for (const auto& [one, other] : {std::pair(folder / "report", relative),
                                   {folder / "link", folder / "report"},
                                   {folder / "dangling", folder / "missing"},
                                   {"-", "/dev/stdout"}}) {
    const CommandResult result =
        fixture({"run", "demo.parameters", "--device", "sim", "--json", one, "--junit", other});
    EXPECT_EQ(result.exit_code, 2) << one << ' ' << other << '\n' << result.error_output;
    EXPECT_THAT(result.error_output, AllOf(HasSubstr("--junit and --json"), HasSubstr("one file")));
  }
  EXPECT_EQ(read_file(folder / "report"), "old");
}

TEST(Rejections, AReportThatWouldReplaceWhatIsRead) {
  const TemporaryFolder folder;
  write_file(folder / "waivers", "old");
  const CommandResult run =
      fixture({"run", "demo.parameters", "--waivers", folder / "waivers", "--json", folder / "waivers"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.error_output, AllOf(HasSubstr("--json"), HasSubstr("replace the waivers")));
  const CommandResult inspect = fixture({"inspect", folder / "waivers", "--html", folder / "./waivers"});
  EXPECT_EQ(inspect.exit_code, 2);
  EXPECT_THAT(inspect.error_output, AllOf(HasSubstr("--html"), HasSubstr("replace the snapshot")));
  EXPECT_EQ(read_file(folder / "waivers"), "old");
}

TEST(Rejections, AFileCalledLikeAnOptionIsWrittenWithItsFolder) {
  const CommandResult result =
      fixture({"run", "demo.parameters", "--device", "sim", "--no-journal", "--json", "./--fail-fast"});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_THAT(read_file("--fail-fast"), HasSubstr("gpucheck.result/1"));
  std::filesystem::remove("--fail-fast");
}

TEST(Rejections, ANumberWithAZeroInFrontIsDecimal) {
  const CommandResult result = fixture({"run", "demo.parameters", "--device", "sim", "--repeat", "010", "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_EQ(nlohmann::json::parse(result.output).at("cases").size(), 10U);
}

TEST(Rejections, MalformedGoldenNamesFileAndPlace) {
  const TemporaryFolder folder;
  write_file(folder / "demo/wrong.json", R"({"case": "demo.wrong", "expect": {"answer": {"equals": 42}}})");
  const CommandResult result = fixture({"run", "demo.wrong", "--device", "sim", "--golden", folder.path()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("demo/wrong.json"), HasSubstr("answer"), HasSubstr("basis")));
}

TEST(Terminal, GetsNoControlSequenceFromOutside) {
  const TemporaryFolder folder;
  const std::string hostile = "\x1b[2J\x1b]0;title\x07\xc2\x9b[31mname\ngpucheck: all is well";
  for (const Words& arguments : {Words{"run", hostile},
                                 {hostile},
                                 {"replay", folder / hostile},
                                 {"run", "--device", hostile},
                                 {"run", "demo.wrong", "--fault", hostile}}) {
    const CommandResult result = fixture(arguments);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_THAT(result.error_output, AllOf(HasSubstr("name"), Not(HasSubstr("\x1b")), Not(HasSubstr("\xc2\x9b"))));
    EXPECT_EQ(std::ranges::count(result.error_output, '\n'), 1) << result.error_output;
  }
  write_file(folder / "demo/wrong.json", R"({"case": "demo.wrong", "expect": {
    "answer": {"equals": 42, "basis": "seed", "note": "\u001b[2Jnote"}}})");
  const CommandResult described = fixture({"describe", "demo.wrong", "--golden", folder.path()});
  EXPECT_EQ(described.exit_code, 0) << described.error_output;
  EXPECT_THAT(described.output, AllOf(HasSubstr("note"), Not(HasSubstr("\x1b"))));
}

TEST(Help, WorksForEveryCommand) {
  const std::vector<Words> commands{{"--help"},
                                    {"list", "-h"},
                                    {"describe", "--help"},
                                    {"info", "--help"},
                                    {"run", "--help"},
                                    {"prove", "--help"},
                                    {"golden", "--help"},
                                    {"demo", "--help"},
                                    {"golden", "diff", "--help"},
                                    {"run", "x", "-h"},
                                    {"golden", "approve", "--help"}};
  for (const Words& arguments : commands) {
    const CommandResult result = fixture(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments.front();
    EXPECT_THAT(result.output, HasSubstr("Usage:")) << arguments.front();
    EXPECT_EQ(result.error_output, "") << arguments.front();
  }
}

TEST(Help, TellsCommandsGroupsAndExitCodes) {
  EXPECT_EQ(fixture({"help"}).output, fixture({"--help"}).output);
  EXPECT_EQ(fixture({"help", "golden", "diff"}).output, fixture({"golden", "diff", "--help"}).output);
  EXPECT_EQ(fixture({"help", "frobnicate"}).exit_code, 2);
  EXPECT_THAT(fixture({"replay", "--help"}).output, HasSubstr("memory suffices"));
  EXPECT_THAT(fixture({"list", "--help"}).output, Not(HasSubstr("crashed or hung")));
  EXPECT_THAT(fixture({"--help"}).output, AllOf(HasSubstr("prove"), HasSubstr("demo"),
                                                HasSubstr("3 could not be judged"), HasSubstr("128 and the signal")));
}

TEST(Help, OfACaseShowsItsParametersAndTheRunsOwn) {
  EXPECT_THAT(fixture({"demo", "parameters", "--help"}).output,
              AllOf(HasSubstr("--count"), HasSubstr("integer from 1 to 100"), HasSubstr("--seed"),
                    HasSubstr("--run-seed"), HasSubstr("--junit")));
}

}  // namespace
}  // namespace gpucheck::application
