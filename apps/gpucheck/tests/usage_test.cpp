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
    Cases, RejectionTest,
    ::testing::Values(Rejection{{"run", "demo.wrnog"}, 2, {"demo.wrnog", "demo.wrong"}},
                      Rejection{{"prove", "demo.wrnog"}, 2, {"demo.wrong"}},
                      Rejection{{"golden", "diff", "demo.wrnog"}, 2, {"demo.wrong"}},
                      Rejection{{"run", "nothing.*"}, 3, {"\"nothing.*\"", "gpucheck list"}},
                      Rejection{{"list", "nothing.*"}, 3, {"\"nothing.*\""}},
                      Rejection{{"run", "bad", "--exclude", "bad"}, 3, {"nothing is selected"}},
                      Rejection{{"run", "bad.hangs", "--shard", "2/2", "--device", "sim"}, 3, {"shard 2/2"}},
                      Rejection{{"run", "--suite", "best"}, 2, {"\"best\"", "all", "quick"}},
                      Rejection{{"run", "proof.watchful", "--fault", "gremlins"}, 2, {"gremlins", "describe"}}));

INSTANTIATE_TEST_SUITE_P(
    Parameters, RejectionTest,
    ::testing::Values(Rejection{{"run", "demo.parameters", "-p", "count"}, 2, {"name=value"}},
                      Rejection{{"run", "demo.parameters", "-p", "count=0"}, 2, {"count", "from 1 to 100"}},
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
        Rejection{{"describe", "demo.wrong", "--golden", "/nonexistent"}, 3, {"/nonexistent"}}));

TEST(Rejections, CudaWithoutADeviceGivesTheReason) {
  const CommandResult result = fixture({"run", "demo.wrong", "--device", "cuda"});
  if (result.exit_code == 1) GTEST_SKIP() << "this machine has a CUDA device";
  EXPECT_EQ(result.exit_code, 3);
  const bool built_with_cuda = fixture({"--version"}).output.find("no CUDA toolkit") == std::string::npos;
  EXPECT_THAT(result.error_output, HasSubstr(built_with_cuda ? "cudaError" : "built without a CUDA toolkit"));
  EXPECT_EQ(result.output, "");
}

TEST(Rejections, MalformedGoldenNamesFileAndPlace) {
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
