#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(List, ByBasisHasEachKeyThatRestsOnIt) {
  const std::vector<std::string> own = lines_of(gpucheck({"list", "--basis", "own"}).output);
  EXPECT_FALSE(own.empty());
  for (const std::string& line : own) EXPECT_THAT(line, MatchesRegex("[a-z0-9_]+\\.[a-z0-9_]+\\.[a-z0-9_]+: .+"));
  const std::vector<std::string> graph = lines_of(gpucheck({"list", "graph", "--basis", "own"}).output);
  EXPECT_LT(graph.size(), own.size());
  for (const std::string& line : graph) EXPECT_TRUE(line.starts_with("graph.")) << line;
}

/// As golden/alloc/memory_fraction.json has them: a condition and a note, one of them, or neither.
TEST(List, ByBasisTellsTheConditionAndTheNoteOfAnExpectation) {
  const std::vector<std::string> lines =
      lines_of(gpucheck({"list", "alloc.memory_fraction", "--basis", "spec"}).output);
  const std::string key = "alloc.memory_fraction.num_alloc_retries: ";
  EXPECT_THAT(lines,
              ::testing::IsSupersetOf({key + "1, with caching; a limit that rejects also makes the allocator try twice",
                                       key + "0, with async"}));
  EXPECT_THAT(lines_of(gpucheck({"list", "alloc.caching_disabled_raw_alloc", "--basis", "seed"}).output),
              ::testing::ElementsAre("alloc.caching_disabled_raw_alloc.uncached_requested_bytes: 0",
                                     "alloc.caching_disabled_raw_alloc.cached_requested_bytes: 1048576"));
}

TEST(List, ABasisThatNoKeyHasIsAUsageError) {
  const CommandResult result = gpucheck({"list", "--basis", "hearsay"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("\"hearsay\""), HasSubstr("math, own, seed, spec, torch, vendor")));
}

TEST(List, TheEstimateOfASuiteIsOfItsCasesAlone) {
  const auto estimate = [](const std::string& suite) {
    const CommandResult result = gpucheck({"list", "--suite", suite, "--estimate", "--device", "sim", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.error_output;
    return json::parse(result.output);
  };
  const json quick = estimate("quick");
  const json acceptance = estimate("acceptance");
  EXPECT_LT(quick["cases"].size(), acceptance["cases"].size());
  EXPECT_GT(quick["estimate"]["side_by_side_ms"], 0);
  EXPECT_LT(quick["estimate"]["side_by_side_ms"], acceptance["estimate"]["side_by_side_ms"]);
  EXPECT_THAT(gpucheck({"list", "--suite", "quick", "--estimate", "--device", "sim"}).output,
              AllOf(HasSubstr(std::to_string(quick["cases"].size()) + " cases on the simulated device"),
                    Not(HasSubstr("memtest.bit_fade"))));
}

}  // namespace
}  // namespace gpucheck::application
