#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(List, PlainGivesNamesOneALine) {
  const CommandResult result = fixture({"list", "bad", "proof.*", "--plain"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "bad.crashes\nbad.hangs\nproof.exclusive\nproof.watchful\n");
  EXPECT_EQ(result.error_output, "");
}

TEST(List, AlignsSummaries) {
  EXPECT_EQ(fixture({"list", "bad"}).output, "bad.crashes  Kills itself\nbad.hangs    Sleeps for minutes\n");
}

TEST(List, JsonDeclaresEverything) {
  const json document = json::parse(fixture({"list", "--json", "demo.parameters"}).output);
  EXPECT_EQ(document["schema"], "gpucheck.list/1");
  const json& test_case = document["cases"].at(0);
  EXPECT_EQ(test_case["name"], "demo.parameters");
  EXPECT_EQ(test_case["group"], "demo");
  EXPECT_EQ(test_case["deadline_ms"], 10'000);
  EXPECT_EQ(test_case["parameters"].at(0)["default"], 10);
  EXPECT_EQ(test_case["parameters"].at(0)["maximum"], 100);
}

TEST(Needs, AreAllToldByEveryDocument) {
  const json expected = {{"devices", 2},
                         {"memory_bytes", 3 << 20},
                         {"memory_fraction", 0.25},
                         {"libraries", {"libfirst.so.1", "libsecond.so.2"}},
                         {"exclusive", true},
                         {"own_process", true},
                         {"caching_allocator", true},
                         {"allocator_library", true},
                         {"default_stream", true},
                         {"simulated_device", true}};
  EXPECT_EQ(json::parse(fixture({"list", "--json", "needs.everything"}).output)["cases"].at(0)["needs"], expected);
  EXPECT_EQ(json::parse(fixture({"describe", "--json", "needs.everything"}).output)["needs"], expected);
  EXPECT_THAT(fixture({"describe", "needs.everything"}).output,
              HasSubstr("needs     2 devices, 3.00 MiB of free device memory, 25% of the memory free, libfirst.so.1, "
                        "libsecond.so.2, the device to itself, a process of its own, the caching allocator, an "
                        "allocator library, the default stream as the current one, a simulated device\n"));
}

TEST(List, ReportsAFullDisk) {
  const CommandResult result = run_program("/bin/sh", {"-c", "\"$0\" list > /dev/full", GPUCHECK_FIXTURE_PROGRAM});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, HasSubstr("could not be written"));
}

TEST(Describe, ShowsAllOfACase) {
  const CommandResult result = fixture({"describe", "demo.parameters"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, AllOf(StartsWith("demo.parameters\n  Observes its parameters\n"), HasSubstr("fixture"),
                                   HasSubstr("1 device"), HasSubstr("10000 ms"), HasSubstr("How many"),
                                   HasSubstr("integer from 1 to 100"), HasSubstr("default 10")));
  EXPECT_THAT(result.output, AllOf(HasSubstr("embedded golden/demo/parameters.json"), HasSubstr("[math]")));
}

TEST(Describe, ShowsFaults) {
  EXPECT_THAT(fixture({"describe", "proof.watchful"}).output,
              AllOf(HasSubstr("allocation_fails\n      breaks allocation_fails"), HasSubstr("allocation_kills")));
}

TEST(Describe, SaysWhenThereIsNoGolden) {
  EXPECT_THAT(fixture({"describe", "demo.no_golden"}).output, HasSubstr("without one the case fails"));
}

TEST(Describe, JsonHasTheGolden) {
  const json document = json::parse(fixture({"describe", "demo.wrong", "--json"}).output);
  EXPECT_EQ(document["schema"], "gpucheck.case/1");
  EXPECT_EQ(document["golden"]["rows"].at(0)["key"], "answer");
  EXPECT_EQ(document["golden"]["rows"].at(0)["basis"], "seed");
  EXPECT_TRUE(json::parse(fixture({"describe", "demo.no_golden", "--json"}).output)["golden"].is_null());
}

TEST(Describe, NamesTheNearest) {
  const CommandResult result = fixture({"describe", "demo.wrnog"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, AllOf(StartsWith("gpucheck: "), HasSubstr("demo.wrong")));
  EXPECT_EQ(result.output, "");
}

TEST(Info, ShowsBuildDevicesAndLibraries) {
  const CommandResult result = fixture({"info"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, AllOf(HasSubstr("gpucheck "), HasSubstr("CUDA devices"), HasSubstr("profiles: "),
                                   HasSubstr("cuDNN"), HasSubstr("NCCL")));
}

TEST(Info, JsonNamesEachLibraryOnce) {
  const json document = json::parse(fixture({"info", "--json"}).output);
  EXPECT_EQ(document["schema"], "gpucheck.info/1");
  std::vector<std::string> names;
  for (const json& library : document["libraries"]) {
    names.push_back(library["name"]);
    const bool explained = library["found"] == true || library["problem"] != "";
    EXPECT_TRUE(explained) << library;
  }
  EXPECT_THAT(names, ::testing::ElementsAre("CUDA driver", "NVML", "cuBLAS", "cuDNN", "cuSPARSE", "NCCL"));
}

TEST(Version, NamesCompilerAndCuda) {
  const CommandResult result = gpucheck({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, AllOf(::testing::ContainsRegex("gpucheck [0-9]+\\.[0-9]+"), HasSubstr("CUDA")));
  EXPECT_THAT(result.output, Not(HasSubstr("@")));
}

TEST(Version, WorksAnywhereOnTheLine) { EXPECT_THAT(fixture({"run", "--version"}).output, StartsWith("gpucheck ")); }

}  // namespace
}  // namespace gpucheck::application
