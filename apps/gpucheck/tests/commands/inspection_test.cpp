#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.hpp"

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
                         {"every_device", false},
                         {"any_device", false},
                         {"memory_bytes", 3 << 20},
                         {"memory_fraction", 0.25},
                         {"libraries", {"libfirst.so.1", "libsecond.so.2"}},
                         {"exclusive", true},
                         {"idle", false},
                         {"host_link", false},
                         {"own_process", true},
                         {"caching_allocator", true},
                         {"allocator_library", true},
                         {"default_stream", true},
                         {"simulated_device", true},
                         {"several_processes", true}};
  EXPECT_EQ(json::parse(fixture({"list", "--json", "needs.everything"}).output)["cases"].at(0)["needs"], expected);
  EXPECT_EQ(json::parse(fixture({"describe", "--json", "needs.everything"}).output)["needs"], expected);
  EXPECT_THAT(fixture({"describe", "needs.everything"}).output,
              HasSubstr("needs     2 devices, 3.00 MiB of free device memory, 25% of the memory free, libfirst.so.1, "
                        "libsecond.so.2, the device to itself, a process of its own, the caching allocator, an "
                        "allocator library, the default stream as the current one, a simulated device, "
                        "several processes of one job\n"));
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
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("embedded golden/demo/parameters.json"), HasSubstr("[math; else GC6001]")));
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
    const bool explained = library["found"] == true || !library["problem"].get<std::string>().empty();
    EXPECT_TRUE(explained) << library;
  }
  EXPECT_THAT(names, ::testing::ElementsAre("CUDA driver", "NVML", "cuBLAS", "cuDNN", "cuSPARSE", "NCCL"));
}

std::vector<std::string> fake_nvml() { return {std::string("LD_LIBRARY_PATH=") + GPUCHECK_FAKE_NVML_FOLDER}; }

TEST(Info, ShowsTheStateOfTheGpus) {
  const CommandResult result = fixture({"info"}, fake_nvml());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, AllOf(HasSubstr("state of the GPUs (driver 580.159.04, NVML 13.580.1, CUDA 13.1)"),
                                   HasSubstr("00000000:00:06.0  Fake, GPU-1, VBIOS 96.00"),
                                   HasSubstr("41 C (memory 1082 C), 82 of 650 W, SM clock 301 of 1901 MHz"),
                                   HasSubstr("9.00 GiB of 160.00 GiB used, 2 processes; ECC on, 110 uncorrected"),
                                   HasSubstr("PCIe generation 4 of 5, 8 of 16 lanes, 77 replays; 5 of 6 NVLinks up")));
}

TEST(Info, RecordsTheStateOfTheGpus) {
  const TemporaryFolder folder;
  const CommandResult result = fixture({"info", "--record", folder / "state.json"}, fake_nvml());
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  json state = json::parse(read_file(folder / "state.json"));
  EXPECT_EQ(state["schema"], "gpucheck.telemetry/1");
  EXPECT_EQ(state["gpus"].at(0)["readings"]["power_draw_mw"], 82260);
  json on_stdout = json::parse(fixture({"info", "--record", "-"}, fake_nvml()).output);
  // When the log was read: in seconds, and the two commands need not share one.
  EXPECT_EQ(on_stdout["host"].erase("kernel_log_read"), state["host"].erase("kernel_log_read"));
  // How long the machine has run: in hundredths of a second, which two commands do not share.
  EXPECT_EQ(on_stdout["network"].erase("/proc/uptime"), state["network"].erase("/proc/uptime"));
  EXPECT_EQ(on_stdout, state);
}

TEST(Info, NoStateWithoutADriver) {
  const TemporaryFolder folder;
  write_file(folder / "libnvidia-ml.so.1", "no library");
  const std::vector<std::string> broken_nvml{"LD_LIBRARY_PATH=" + folder.path()};
  const CommandResult result = fixture({"info", "--record", folder / "state.json"}, broken_nvml);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, HasSubstr("NVML cannot be loaded: "));
  EXPECT_EQ(read_file(folder / "state.json"), "");
  EXPECT_THAT(fixture({"info"}, broken_nvml).output, HasSubstr("state of the GPUs\n  not known: NVML cannot"));
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
