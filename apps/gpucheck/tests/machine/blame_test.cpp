#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/machine_run.hpp"

// Whom a failure counts against, and what is to be done, from a recording to the verdict.
namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// As NVML answers for a GPU to which it gives no handle.
json with_lost_second() {
  json machine = recorded_machine("two_healthy_h100");
  json& lost = machine["gpus"][1];
  for (auto& [_, value] : lost["readings"].items()) value = {{"failed", "nvmlDeviceGetHandleByIndex_v2: GPU is lost"}};
  lost["links"] = json::array();
  lost["processes"] = lost["xids"] = {{"unavailable", "GPU is lost"}};
  return machine;
}

TEST(Blame, ALostGpuFailsAndNotItsNeighbour) {
  const MachineRun run(with_lost_second(), {"health.inventory", "health.software", "health.ecc", "health.temperature"},
                       "sim:devices=2");
  EXPECT_EQ(run.result.exit_code, 1);
  const json& verdicts = run.report["device_verdicts"];
  EXPECT_EQ(verdicts[0]["verdict"], "passed") << run.result.output;
  EXPECT_EQ(verdicts[1]["verdict"], "failed");
  EXPECT_THAT(verdicts[1]["failed"].get<std::vector<std::string>>(),
              AllOf(Contains("health.inventory"), Contains("health.ecc")));
  EXPECT_EQ(verdicts[1]["failures"][0]["action"], "drain");
  EXPECT_EQ(run.report["machine_verdict"]["verdict"], "passed");
  EXPECT_EQ(run.of("health.ecc", 1)["outcome"], "fail");
}

TEST(Blame, AGpuThatRequiresAResetFails) {
  json machine = recorded_machine("simulated_gpu");
  for (auto& [key, value] : machine["gpus"][0]["readings"].items()) {
    if (key != "uuid" && key != "pci_address" && key != "name" && key != "handle") {
      value = {{"failed", "nvmlDeviceGetFieldValues: GPU requires reset"}};
    }
  }
  const MachineRun run(machine, {"health.ecc", "health.clocks"});
  EXPECT_EQ(run.result.exit_code, 1);
  EXPECT_EQ(run.of("health.ecc")["outcome"], "fail");
  EXPECT_EQ(run.report["device_verdicts"][0]["failures"][0]["code"], "GC7004");
  EXPECT_EQ(run.report["device_verdicts"][0]["failures"][0]["action"], "reset");
}

TEST(Blame, TheMachinesOwnFaultIsNoGpus) {
  json machine = recorded_machine("two_healthy_h100");
  machine["host"]["libraries"][0]["problem"] = "cannot open shared object file";
  const MachineRun run(machine, {"health.software", "health.ecc"}, "sim:devices=2");
  EXPECT_EQ(run.result.exit_code, 1);
  EXPECT_EQ(run.report["device_verdicts"][0]["verdict"], "passed");
  EXPECT_EQ(run.report["device_verdicts"][1]["verdict"], "passed");
  EXPECT_EQ(run.report["machine_verdict"]["verdict"], "failed");
  EXPECT_EQ(run.of("health.software")["devices"], json::array());
  EXPECT_THAT(run.result.output, AllOf(HasSubstr("machine: FAILED"), Not(HasSubstr("device 0: FAILED"))));
}

struct LostBy {
  const char* test_case;
  const char* place;  ///< in the GPU, as a JSON pointer
};

/// Whichever answer of the driver says so, it is the GPU's failure, and not its neighbour's.
TEST(Blame, AGpuIsLostWhicheverAnswerSaysSo) {
  for (const auto& [test_case, place] :
       {LostBy{"health.nvlink", "/links"}, LostBy{"health.nvlink", "/links/17/is_active"},
        LostBy{"health.nvlink", "/links/9/replays"}, LostBy{"health.processes", "/processes"},
        LostBy{"health.temperature", "/readings/temperature_gpu_max_celsius"},
        LostBy{"health.ecc", "/readings/ecc_enabled"}, LostBy{"health.recovery", "/readings/recovery_action"}}) {
    for (const auto& [words, code] : {std::pair{"GPU is lost", "GC7005"}, std::pair{"GPU requires reset", "GC7004"}}) {
      json machine = recorded_machine("two_healthy_h100");
      for (json& gpu : machine["gpus"]) gpu["readings"]["recovery_action"] = 0;
      machine["gpus"][0][json::json_pointer(place)] = {{"failed", words}};
      const MachineRun run(machine, {test_case}, "sim:devices=2");
      EXPECT_EQ(run.of(test_case)["outcome"], "fail") << place;
      EXPECT_EQ(run.of(test_case)["failures"][0]["code"], code) << place;
      EXPECT_THAT(run.of(test_case)["reason"].get<std::string>(), HasSubstr(words)) << place;
      EXPECT_EQ(run.report["device_verdicts"][0]["verdict"], "failed") << place;
      EXPECT_EQ(run.report["device_verdicts"][1]["verdict"], "passed") << place << run.result.output;
      EXPECT_EQ(run.result.exit_code, 1) << place;
    }
  }
}

/// NVML's recovery action decides the next step of whatever else is wrong with the GPU.
TEST(Blame, WhatTheDriverAsksForDecidesTheNextStep) {
  json machine = recorded_machine("two_healthy_h100");
  for (json& gpu : machine["gpus"]) gpu["readings"]["remap_pending"] = true;
  machine["gpus"][1]["readings"]["recovery_action"] = 2;
  const MachineRun run(machine, {"health.row_remap"}, "sim:devices=2");
  const json& verdicts = run.report["device_verdicts"];
  EXPECT_EQ(verdicts[0]["recovery"], nullptr);
  EXPECT_EQ(verdicts[0]["failures"][0]["action"], "reset");
  EXPECT_EQ(verdicts[1]["recovery"]["code"], "GC7006");
  EXPECT_EQ(verdicts[1]["recovery"]["action"], "reboot");
  EXPECT_EQ(run.of("health.row_remap", 0)["failures"][0]["code"], "GC2003");
  EXPECT_EQ(run.of("health.row_remap", 1)["failures"][0]["code"], "GC7006");
  EXPECT_EQ(run.of("health.row_remap", 1)["failures"][1]["code"], "GC2003");
  EXPECT_THAT(run.result.output,
              AllOf(HasSubstr("next: reset (GC2003 row_remap_pending)\n"),
                    HasSubstr("next: reboot (GC7006 reboot_required, the driver asks for it); then reset (GC2003 "
                              "row_remap_pending)\n")));
}

}  // namespace
}  // namespace gpucheck::application
