#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.hpp"

/// What the command says where NVIDIA's library is slow, or never returns.
namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct TimedResult {
  CommandResult result;
  double seconds = 0;
};

TimedResult ask(const std::vector<std::string>& arguments, const std::string& driver) {
  const auto start = std::chrono::steady_clock::now();
  CommandResult result =
      fixture(arguments, {std::string("LD_LIBRARY_PATH=") + GPUCHECK_SLOW_NVML_FOLDER, "GPUCHECK_TEST_NVML=" + driver});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return {.result = std::move(result), .seconds = time.count()};
}

constexpr double limit_seconds = 5;

TEST(HangingDriver, InfoSaysWhichGpuDoesNotAnswerAndShowsTheOthers) {
  const TimedResult info = ask({"info"}, "gpus=3 hang=nvmlDeviceGetHandleByIndex_v2@1");
  EXPECT_LT(info.seconds, limit_seconds);
  EXPECT_EQ(info.result.exit_code, 0);
  EXPECT_THAT(info.result.output, AllOf(HasSubstr("00000000:00:00.0"), HasSubstr("00000000:02:00.0"),
                                        HasSubstr("GPU 1 does not answer (no answer within"),
                                        HasSubstr("CUDA not known: nvmlSystemGetCudaDriverVersion_v2: "),
                                        HasSubstr("libraries"), HasSubstr("NVML         driver 580.1"),
                                        Not(HasSubstr("GPU 0 does")), Not(HasSubstr("GPU 2 does"))));
}

TEST(HangingDriver, WhatAGpuToldBeforeItHungIsKept) {
  const TemporaryFolder folder;
  const TimedResult record =
      ask({"info", "--record", folder / "state.json"}, "gpus=2 hang=nvmlDeviceGetPersistenceMode@0");
  EXPECT_LT(record.seconds, limit_seconds);
  EXPECT_THAT(record.result.error_output, HasSubstr("GPU 0 at 00000000:00:00.0, GPU-0 does not answer"));
  const json state = json::parse(read_file(folder / "state.json"));
  ASSERT_EQ(state["gpus"].size(), 2U);
  const json readings = state["gpus"].at(0)["readings"];
  EXPECT_EQ(readings["temperature_gpu_celsius"], 40);
  EXPECT_EQ(readings["pcie_replays"], 5);
  EXPECT_THAT(readings["persistence_mode"]["failed"].get<std::string>(), HasSubstr("no answer within"));
  EXPECT_EQ(state["gpus"].at(1)["readings"]["persistence_mode"], true);
}

TEST(HangingDriver, EachCallMayBeTheOneThatHangs) {
  for (const char* function : {"nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlSystemGetDriverVersion"}) {
    const TimedResult info = ask({"info"}, std::string("gpus=2 hang=") + function);
    EXPECT_LT(info.seconds, limit_seconds) << function;
    EXPECT_THAT(info.result.output, AllOf(HasSubstr("not known: NVML gives no answer within"), HasSubstr("libraries"),
                                          HasSubstr("cuBLAS"), HasSubstr("profiles: ")))
        << function;
  }
}

TEST(HangingDriver, ASlowOneIsWaitedForAsLongAsAnHangingOne) {
  const TimedResult info = ask({"info", "--json"}, "gpus=8 sleep_ms=900");
  EXPECT_LT(info.seconds, limit_seconds);
  const json document = json::parse(info.result.output);
  EXPECT_EQ(document["silent_gpus"].size(), 8U) << document["silent_gpus"];
}

/// What NVML lists is what may be named where CUDA does not start.
TEST(UnusableGpus, AreThoseThatTheDriverLists) {
  if (gpucheck({"--version"}).output.find("no CUDA toolkit") != std::string::npos) GTEST_SKIP() << "built without CUDA";
  const auto run = [](const std::string& device) {
    return ask({"run", "proof.watchful", "--device", device}, "gpus=2").result;
  };
  EXPECT_EQ(run("cuda:1").exit_code, 3);
  for (const char* device : {"cuda:2", "cuda:3", "cuda:0,2"}) {
    EXPECT_EQ(run(device).exit_code, 2) << device;
    EXPECT_THAT(run(device).error_output, HasSubstr("the driver lists 2")) << device;
  }
}

TEST(HangingDriver, TheListOfDevicesComesInTime) {
  for (const char* driver : {"gpus=2 hang=nvmlInit_v2", "gpus=2 hang=nvmlDeviceGetUUID@1", "gpus=2 sleep_ms=900"}) {
    const TimedResult list = ask({"list", "--device", "auto"}, driver);
    EXPECT_LT(list.seconds, limit_seconds) << driver;
    EXPECT_EQ(list.result.exit_code, 3) << "a part of the driver is there, and no GPU can be used";
    EXPECT_THAT(list.result.output, AllOf(HasSubstr("cuda:0"), HasSubstr("cannot be used"))) << driver;
  }
}

TEST(HangingDriver, ARecordingToStdoutComesInTime) {
  const TimedResult record = ask({"info", "--record", "-"}, "gpus=2 hang=nvmlDeviceGetUUID@1");
  EXPECT_LT(record.seconds, limit_seconds);
  EXPECT_EQ(record.result.exit_code, 0);
  EXPECT_EQ(json::parse(record.result.output)["gpus"].at(0)["readings"]["uuid"], "GPU-0");
}

/// The result of each case on each device, by "health.mode 1".
std::map<std::string, json> results_of_run(const std::string& driver, double& seconds) {
  const TemporaryFolder folder;
  const auto start = std::chrono::steady_clock::now();
  const CommandResult run =
      gpucheck({"run", "health.mode", "health.inforom", "health.recovery", "health.ecc", "health.inventory", "--json",
                folder / "out.json"},
               {std::string("LD_LIBRARY_PATH=") + GPUCHECK_SLOW_NVML_FOLDER, "GPUCHECK_TEST_NVML=" + driver});
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_NE(run.exit_code, 0);
  const json report = json::parse(read_file(folder / "out.json"));
  EXPECT_EQ(report["devices"].size(), 3U) << run.output;
  std::map<std::string, json> results;
  for (const json& each : report["cases"]) {
    const std::string device = each["devices"].empty() ? "" : " " + each["devices"].at(0).dump();
    results[each["name"].get<std::string>() + device] = each;
  }
  return results;
}

TEST(HangingDriver, TheKernelsLogIsJudgedAllTheSame) {
  const TemporaryFolder folder;
  write_file(folder / "log", "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=a, GPU has fallen off the bus.\n");
  const CommandResult run = gpucheck(
      {"run", "health.kernel_log", "health.xid", "--json", folder / "out.json", "-p", "kernel_log=" + (folder / "log")},
      {std::string("LD_LIBRARY_PATH=") + GPUCHECK_SLOW_NVML_FOLDER,
       "GPUCHECK_TEST_NVML=gpus=2 hang=nvmlDeviceGetCount_v2"});
  EXPECT_EQ(run.exit_code, 1);
  const json report = json::parse(read_file(folder / "out.json"));
  std::map<std::string, json> results;
  for (const json& each : report["cases"]) results[each["name"].get<std::string>()] = each;
  EXPECT_EQ(results["health.kernel_log"]["outcome"], "fail") << results["health.kernel_log"];
  EXPECT_THAT(results["health.kernel_log"]["observations"]["unlisted_gpus"].dump(), HasSubstr("XID 79"));
  EXPECT_EQ(results["health.xid"]["outcome"], "error") << "whose log it is, nobody knows";
}

TEST(HangingDriver, InARunTheOtherGpusAreJudgedAndTheSilentOneIsNamed) {
  for (const char* function :
       {"nvmlDeviceGetTemperature", "nvmlDeviceGetUUID", "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetMigMode"}) {
    SCOPED_TRACE(function);
    double seconds = 0;
    std::map<std::string, json> results = results_of_run(std::string("gpus=3 hang=") + function + "@1", seconds);
    EXPECT_LT(seconds, 25);  // alone on the machine: 5
    for (const char* device : {" 0", " 2"}) {
      for (const char* name : {"health.mode", "health.inforom"}) {
        EXPECT_EQ(results[name + std::string(device)]["outcome"], "pass") << results[name + std::string(device)];
      }
    }
    for (const char* name : {"health.mode 1", "health.inforom 1", "health.recovery 1", "health.ecc 1"}) {
      EXPECT_EQ(results[name]["outcome"], "error") << results[name];
      EXPECT_THAT(results[name]["reason"].get<std::string>(), HasSubstr("did not answer within"));
      EXPECT_EQ(results[name]["failures"].at(0)["code"], "GC7003");
      EXPECT_EQ(results[name]["failures"].at(0)["action"], "reset");
    }
  }
}

}  // namespace
}  // namespace gpucheck::application
