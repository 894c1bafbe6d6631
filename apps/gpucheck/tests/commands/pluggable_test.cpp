#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sstream>

#include "tests/support/subprocess.hpp"
#include "tests/support/test_files.hpp"

// Allocator libraries of the user's, checked on the simulated device.
namespace gpucheck::application {

namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

CommandResult check(const std::string& allocator, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"run", "alloc.pluggable_*", "--device", "sim", "--allocator", allocator};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return gpucheck(arguments);
}

/// Names of the cases with another outcome than pass.
std::vector<std::string> not_passed(const json& document) {
  std::vector<std::string> names;
  for (const json& result : document.at("cases")) {
    if (result.at("outcome") != "pass") names.push_back(result.at("name"));
  }
  return names;
}

TEST(PluggableLibrary, AGoodOnePassesEveryCase) {
  const CommandResult result = check(library("good"), {"--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  const json document = json::parse(result.output);
  EXPECT_EQ(document.at("cases").size(), 9);
  EXPECT_EQ(not_passed(document), std::vector<std::string>{});
  EXPECT_EQ(document.at("allocator"), library("good"));
  EXPECT_THAT(document.at("cases")[0].at("rerun_command").get<std::string>(),
              HasSubstr(" --allocator " + library("good")));
}

TEST(PluggableLibrary, EveryFaultOfItsMemoryIsNoticed) {
  const CommandResult result =
      gpucheck({"prove", "alloc.pluggable_*", "--device", "sim", "--allocator", library("good")});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.error_output;
}

struct Broken {
  const char* name;
  const char* noticed_by;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

class BrokenLibrary : public testing::TestWithParam<Broken> {};

TEST_P(BrokenLibrary, IsNoticedByTheCaseForIt) {
  const CommandResult result = check(library(std::string("broken_") + GetParam().name), {"--json", "-"});
  EXPECT_EQ(result.exit_code, 1) << result.error_output;
  EXPECT_THAT(not_passed(json::parse(result.output)), Contains(GetParam().noticed_by));
}

INSTANTIATE_TEST_SUITE_P(
    PluggableLibrary, BrokenLibrary,
    testing::Values(Broken{"overlap", "alloc.pluggable_overlap"}, Broken{"misaligned", "alloc.pluggable_alignment"},
                    Broken{"zero", "alloc.pluggable_sizes"}, Broken{"overflow", "alloc.pluggable_sizes"},
                    Broken{"aborts", "alloc.pluggable_out_of_memory"},
                    Broken{"never_recovers", "alloc.pluggable_out_of_memory"},
                    Broken{"threads", "alloc.pluggable_threads"}, Broken{"streams", "alloc.pluggable_streams"},
                    Broken{"capture", "alloc.pluggable_capture"}, Broken{"leak", "alloc.pluggable_leaks"},
                    Broken{"leak_page", "alloc.pluggable_leaks"}, Broken{"double_free", "alloc.pluggable_leaks"}),
    [](const auto& information) { return std::string(information.param.name); });

/// Whatever a library does wrong, the next step is to mend it: nothing speaks of the GPU.
class FaultOfALibrary : public testing::TestWithParam<const char*> {};

TEST_P(FaultOfALibrary, IsNeverTheGpus) {
  const CommandResult result = check(library(std::string("broken_") + GetParam()), {"--json", "-", "--timeout", "5s"});
  EXPECT_EQ(result.exit_code, 1) << result.error_output;
  const json document = json::parse(result.output);
  ASSERT_FALSE(not_passed(document).empty());
  for (const json& one : document.at("cases")) {
    for (const json& failure : one.at("failures")) {
      EXPECT_EQ(failure.at("action"), "configure") << one.at("name") << failure;
      EXPECT_THAT(failure.at("code").get<std::string>(), testing::AnyOf("GC7016", "GC7017")) << one.at("name");
    }
    EXPECT_EQ(one.at("failures").empty(), one.at("outcome") == "pass" || one.at("outcome") == "skip");
  }
}

INSTANTIATE_TEST_SUITE_P(PluggableLibrary, FaultOfALibrary,
                         testing::Values("overlap", "misaligned", "zero", "overflow", "aborts", "never_recovers",
                                         "threads", "streams", "capture", "leak", "double_free", "exits", "throws",
                                         "throws_at_free", "throws_at_load"),
                         [](const auto& information) { return std::string(information.param); });

TEST(PluggableLibrary, WhatItThrowsIsInTheResult) {
  for (const char* name : {"broken_throws", "broken_throws_at_free", "broken_throws_at_load"}) {
    const CommandResult result = check(library(name));
    EXPECT_EQ(result.exit_code, 1) << name;
    EXPECT_THAT(result.output, HasSubstr("my library has no more")) << name;
  }
}

TEST(PluggableLibrary, PartialOverlapsAreNoticedBetweenThreadsToo) {
  const CommandResult result = check(library("broken_overlap"), {"--json", "-"});
  EXPECT_THAT(not_passed(json::parse(result.output)), Contains("alloc.pluggable_threads"));
}

/// 48 blocks at most live at once: one look at them finds 47 overlaps of neighbours at most.
TEST(PluggableLibrary, OverlapsAreAddedUp) {
  const auto overlaps = [](const std::string& test_case, const std::string& key) {
    const CommandResult result =
        gpucheck({"run", test_case, "--device", "sim", "--allocator", library("broken_overlap"), "--json", "-"});
    return json::parse(result.output)["cases"].at(0)["observations"][key].get<int>();
  };
  EXPECT_GT(overlaps("alloc.pluggable_overlap", "overlaps"), 47) << "after each allocation";
  EXPECT_GT(overlaps("alloc.pluggable_threads", "overlaps_while_in_use"), 1) << "of each block";
}

/// Processes that a library started, in a session of its own, and that are still there.
int orphans_left(const std::function<void(const std::string& environment)>& run) {
  const TemporaryFolder folder;
  run("GPUCHECK_TEST_ORPHANS=" + folder / "orphans");
  std::istringstream orphans(read_file(folder / "orphans"));
  int started = 0, left = 0;
  for (pid_t id = 0; orphans >> id; ++started) left += ::kill(id, 0) == 0 ? 1 : 0;
  EXPECT_GT(started, 0);
  return left;
}

TEST(PluggableLibrary, LeavesNoProcessBehind) {
  const std::vector<std::string> run{"run", "alloc.pluggable_*", "--device",
                                     "sim", "--allocator",       library("broken_forks")};
  EXPECT_EQ(orphans_left([&](const std::string& environment) { gpucheck(run, {environment}); }), 0);
  const std::vector<std::string> replay{"replay", test_file("pytorch_snapshot.json"), "--allocator",
                                        library("broken_forks")};
  EXPECT_EQ(orphans_left([&](const std::string& environment) { gpucheck(replay, {environment}); }), 0);
}

TEST(PluggableLibrary, WithoutOneItsCasesAreLeftOutOrSkipped) {
  const CommandResult group =
      gpucheck({"run", "alloc.raw_alloc_delete", "alloc.pluggable_*", "--device", "sim", "--json", "-"});
  EXPECT_EQ(group.exit_code, 0) << group.error_output;
  EXPECT_EQ(json::parse(group.output).at("cases").size(), 1);
  const CommandResult named = gpucheck({"run", "alloc.pluggable_sizes", "--device", "sim"});
  EXPECT_EQ(named.exit_code, 3);
  EXPECT_THAT(named.output, HasSubstr("--allocator FILE.so"));
}

TEST(PluggableLibrary, OneThatCannotBeUsedIsNotJudged) {
  const CommandResult absent = check("/nowhere/mine.so");
  EXPECT_EQ(absent.exit_code, 3);
  EXPECT_THAT(absent.output, HasSubstr("/nowhere/mine.so"));
  const CommandResult other_names = check(library("good") + ":take,give");
  EXPECT_EQ(other_names.exit_code, 3);
  EXPECT_THAT(other_names.output, HasSubstr("take"));
  EXPECT_EQ(check("mine").exit_code, 2);
}

TEST(PluggableLibrary, OneThatTakesNoDeviceMemoryIsExplained) {
  const CommandResult result = check(library("good_cuda"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.output, HasSubstr("it has no function gpucheck_set_device_memory"));
  EXPECT_THAT(result.output, Not(HasSubstr("illegal")));
}

TEST(Allocator, TheAsyncBackendIsADimensionOfTheRun) {
  const CommandResult result =
      gpucheck({"run", "alloc.oom_message", "alloc.oom_retry", "--device", "sim", "--allocator", "async", "-v"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr(", allocator async"));
  EXPECT_THAT(result.output, HasSubstr("needs the caching allocator"));
}

}  // namespace
}  // namespace gpucheck::application
