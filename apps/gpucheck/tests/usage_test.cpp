#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>

#include "subprocess.hpp"

namespace gpucheck::application {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

/// A command line that is refused, and words that must be in the message.
struct Refusal {
  Words arguments;
  int exit_code;
  Words message;
};

/// For the tests' names.
void PrintTo(const Refusal& refusal, std::ostream* stream) {
  *stream << "gpucheck";
  for (const std::string& word : refusal.arguments) *stream << ' ' << word;
}

class RefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusalTest, SaysWhyOnStderrAlone) {
  const CommandResult result = fixture(GetParam().arguments);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.error_output;
  EXPECT_THAT(result.error_output, StartsWith("gpucheck: "));
  for (const std::string& words : GetParam().message) EXPECT_THAT(result.error_output, HasSubstr(words));
  EXPECT_EQ(result.output, "");
}

INSTANTIATE_TEST_SUITE_P(CommandLine, RefusalTest,
                         ::testing::Values(Refusal{{}, 2, {"subcommand"}},
                                           Refusal{{"frobnicate"}, 2, {"\"frobnicate\"", "--help"}},
                                           Refusal{{"demo.wrong"}, 2, {"gpucheck run demo.wrong"}},
                                           Refusal{{"run", "--nosuch"}, 2, {"--nosuch"}},
                                           Refusal{{"list", "--json", "--plain"}, 2, {"--json"}},
                                           Refusal{{"describe"}, 2, {"case"}}, Refusal{{"golden"}, 2, {"subcommand"}},
                                           Refusal{{"demo"}, 2, {"subcommand"}},
                                           Refusal{{"golden", "approve", "demo.wrong"}, 2, {"--golden"}},
                                           Refusal{{"run", "--quiet", "--verbose"}, 2, {"--quiet"}},
                                           Refusal{{"run", "--isolate", "thread"}, 2, {"worker", "process"}},
                                           Refusal{{"run", "--timeout", "5"}, 2, {"\"5\"", "500ms"}},
                                           Refusal{{"run", "--shard", "3/2"}, 2, {"3/2", "2/8"}},
                                           Refusal{{"run", "--repeat", "0"}, 2, {"--repeat", "1"}},
                                           Refusal{{"run", "--jobs", "many"}, 2, {"--jobs", "from 0 to 1024"}},
                                           Refusal{{"run", "--seed", "-1"}, 2, {"\"-1\"", "18446744073709551615"}},
                                           Refusal{{"run", "--color", "pink"}, 2, {"always", "never"}}));

INSTANTIATE_TEST_SUITE_P(
    Cases, RefusalTest,
    ::testing::Values(Refusal{{"run", "demo.wrnog"}, 2, {"demo.wrnog", "demo.wrong"}},
                      Refusal{{"prove", "demo.wrnog"}, 2, {"demo.wrong"}},
                      Refusal{{"golden", "diff", "demo.wrnog"}, 2, {"demo.wrong"}},
                      Refusal{{"run", "nothing.*"}, 3, {"\"nothing.*\"", "gpucheck list"}},
                      Refusal{{"list", "nothing.*"}, 3, {"\"nothing.*\""}},
                      Refusal{{"run", "bad", "--exclude", "bad"}, 3, {"nothing is selected"}},
                      Refusal{{"run", "bad.hangs", "--shard", "2/2", "--device", "sim"}, 3, {"shard 2/2"}},
                      Refusal{{"run", "--suite", "best"}, 2, {"\"best\"", "all", "quick"}},
                      Refusal{{"run", "proof.watchful", "--fault", "gremlins"}, 2, {"gremlins", "describe"}}));

INSTANTIATE_TEST_SUITE_P(
    Parameters, RefusalTest,
    ::testing::Values(Refusal{{"run", "demo.parameters", "-p", "count"}, 2, {"name=value"}},
                      Refusal{{"run", "demo.parameters", "-p", "count=0"}, 2, {"count", "from 1 to 100"}},
                      Refusal{{"run", "demo.parameters", "-p", "count=ten"}, 2, {"\"ten\"", "from 1 to 100"}},
                      Refusal{{"run", "demo.parameters", "-p", "careful=yes"}, 2, {"true or false"}},
                      Refusal{{"run", "demo.parameters", "-p", "size=1"}, 2, {"\"size\"", "count"}},
                      Refusal{
                          {"run", "demo.wrong", "-p", "count=1"}, 2, {"\"count\"", "none of them has any parameter"}},
                      Refusal{{"demo", "parameters", "--count", "101"}, 2, {"count", "from 1 to 100"}},
                      Refusal{{"demo", "parameters", "--size", "101"}, 2, {"--size"}}));

INSTANTIATE_TEST_SUITE_P(
    Devices, RefusalTest,
    ::testing::Values(Refusal{{"run", "demo.wrong", "--device", "gpu"}, 2, {"\"gpu\"", "sim:PROFILE"}},
                      Refusal{{"run", "demo.wrong", "--device", "sim:nosuch"}, 2, {"nosuch", "h100"}},
                      Refusal{{"prove", "demo.wrong", "--device", "sim:devices=0"}, 2, {"1 to 64"}}));

INSTANTIATE_TEST_SUITE_P(
    Paths, RefusalTest,
    ::testing::Values(
        Refusal{{"run", "bad.hangs", "--device", "sim", "--json", "/nonexistent/r.json"}, 3, {"/nonexistent/r.json"}},
        Refusal{{"run", "bad.hangs", "--device", "sim", "--junit", "/nonexistent/r.xml"}, 3, {"/nonexistent/r.xml"}},
        Refusal{{"run", "demo.wrong", "--json", "a", "--junit", "./a"}, 2, {"--json", "--junit"}},
        Refusal{{"run", "demo.wrong", "--golden", "/nonexistent"}, 3, {"/nonexistent"}},
        Refusal{{"describe", "demo.wrong", "--golden", "/nonexistent"}, 3, {"/nonexistent"}}));

TEST(Refusals, CudaWithoutADeviceGivesTheReason) {
  const CommandResult result = fixture({"run", "demo.wrong", "--device", "cuda"});
  if (result.exit_code == 1) GTEST_SKIP() << "this machine has a CUDA device";
  EXPECT_EQ(result.exit_code, 3);
  const bool built_with_cuda = fixture({"--version"}).output.find("no CUDA toolkit") == std::string::npos;
  EXPECT_THAT(result.error_output, HasSubstr(built_with_cuda ? "cudaError" : "built without a CUDA toolkit"));
  EXPECT_EQ(result.output, "");
}

TEST(Refusals, MalformedGoldenNamesFileAndPlace) {
  const TemporaryFolder folder;
  write_file(folder / "demo/wrong.json", R"({"case": "demo.wrong", "expect": {"answer": {"equals": 42}}})");
  const CommandResult result = fixture({"run", "demo.wrong", "--device", "sim", "--golden", folder.path()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("demo/wrong.json"), HasSubstr("answer"), HasSubstr("basis")));
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
  EXPECT_THAT(fixture({"--help"}).output,
              AllOf(HasSubstr("prove"), HasSubstr("demo"), HasSubstr("3 could not be judged"), HasSubstr("143")));
}

TEST(Help, OfACaseShowsItsParametersAndTheRunsOwn) {
  EXPECT_THAT(fixture({"demo", "parameters", "--help"}).output,
              AllOf(HasSubstr("--count"), HasSubstr("integer from 1 to 100"), HasSubstr("--seed"),
                    HasSubstr("--run-seed"), HasSubstr("--junit")));
}

}  // namespace
}  // namespace gpucheck::application
