#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "tests/support/machine_run.hpp"
#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string recording(const std::string& name) {
  return std::string(GPUCHECK_RECORDED_MACHINES) + "/" + name + ".json";
}

/// Runs on simulated devices of which a recording reports the state.
CommandResult run_on(const std::string& machine, const std::string& cases, const std::string& report) {
  return gpucheck(
      {"run", cases, "--device", "sim", "--telemetry", recording(machine), "--json", report, "--no-journal"});
}

std::vector<std::string> red_keys(const json& test_case) {
  std::vector<std::string> keys;
  for (const json& mismatch : test_case["mismatches"]) keys.push_back(mismatch["key"]);
  return keys;
}

/// A sick machine, the case that has to see it, and what it sees.
struct Sickness {
  const char* machine;
  const char* test_case;
  const char* key;
};
constexpr std::array sicknesses{
    Sickness{"ecc_uncorrected", "health.ecc", "uncorrected_errors_over_limit"},
    Sickness{"row_remap_failed", "health.row_remap", "failed"},
    Sickness{"row_remap_pending", "health.row_remap", "pending"},
    Sickness{"pcie_half_width", "health.pcie_link", "lanes_missing"},
    Sickness{"pcie_old_generation", "health.pcie_link", "generations_missing"},
    Sickness{"nvlink_down", "health.nvlink", "links_missing"},
    Sickness{"nvlink_errors", "health.nvlink", "links_with_recoveries"},
    Sickness{"fabric_not_ready", "health.fabric", "state"},
    Sickness{"thermal_slowdown", "health.clocks", "hardware_slowdown_over_limit_percent"},
    Sickness{"thermal_slowdown", "health.temperature", "too_hot"},
    Sickness{"power_brake_counter_still", "health.clocks", "power_brake_over_limit_percent"},
    Sickness{"power_over_limit", "health.power", "draw_over_limit_mw"},
    Sickness{"memory_hot_without_threshold", "health.temperature", "too_hot"},
    Sickness{"corrected_errors", "health.ecc", "corrected_errors"},
    Sickness{"sram_threshold", "health.ecc", "sram_errors"},
    Sickness{"nvlink_half_speed", "health.nvlink_quality", "slow_links"},
    Sickness{"inforom_corrupted", "health.inforom", "valid"},
    Sickness{"reboot_wanted", "health.recovery", "reboot_wanted"},
    Sickness{"fabric_unhealthy", "health.fabric", "problems"},
    Sickness{"power_limit_low", "health.power", "limit_reduced_over_limit_percent"},
    Sickness{"foreign_process", "health.processes", "other_processes"},
    Sickness{"compute_prohibited", "health.mode", "compute_mode"},
    Sickness{"kernel_xid", "health.xid", "lost"},
    Sickness{"gpu_not_bound", "health.inventory", "without_driver"},
    Sickness{"mixed_vbios", "health.inventory", "mixed_vbios"},
    Sickness{"driver_mismatch", "health.inventory", "mixed_drivers"},
    Sickness{"device_file_denied", "health.software", "unusable_device_files"},
};

/// Network adapters are in the recording that is built in, and in none of those from before.
bool lacks_network(const std::string& machine, const std::string& test_case) {
  return machine != "simulated_gpu" && test_case.starts_with("health.network_");
}

class SickMachine : public ::testing::TestWithParam<Sickness> {};

TEST_P(SickMachine, TurnsItsCaseRedAndNoOther) {
  const Sickness& sickness = GetParam();
  const TemporaryFolder folder;
  const CommandResult run = run_on(std::string("sick/") + sickness.machine, "health.*", folder / "out.json");
  EXPECT_EQ(run.exit_code, 1) << run.output << run.error_output;
  bool is_red = false;
  const json report = json::parse(read_file(folder / "out.json"));
  for (const json& test_case : report["cases"]) {
    const std::string name = test_case["name"];
    if (name == sickness.test_case) {
      is_red = true;
      EXPECT_THAT(red_keys(test_case), Contains(sickness.key));
      continue;
    }
    if (lacks_network(sickness.machine, name)) {
      EXPECT_EQ(test_case["outcome"], "skip") << name;
      continue;
    }
    const bool is_red_too = std::string(sickness.machine) == "thermal_slowdown" && test_case["outcome"] == "fail";
    EXPECT_TRUE(is_red_too || test_case["outcome"] == "pass") << name << ": " << test_case["reason"];
  }
  EXPECT_TRUE(is_red);
}
INSTANTIATE_TEST_SUITE_P(All, SickMachine, ::testing::ValuesIn(sicknesses), [](const auto& each) {
  const std::string name = each.param.test_case;
  return std::string(each.param.machine) + "_" + name.substr(name.find('.') + 1);
});

/// What a recording was made before.
const std::set<std::pair<std::string, std::string>> not_recorded{{"healthy_h200", "health.inforom"},
                                                                 {"two_healthy_h100", "health.inforom"},
                                                                 {"two_healthy_h100", "health.recovery"},
                                                                 {"two_healthy_h100", "health.nvlink_quality"}};

class HealthyMachine : public ::testing::TestWithParam<const char*> {};

TEST_P(HealthyMachine, PassesOrSaysWhatItHasNot) {
  const TemporaryFolder folder;
  const CommandResult run = run_on(GetParam(), "health.*", folder / "out.json");
  EXPECT_EQ(run.exit_code, 0) << run.output << run.error_output;
  const json report = json::parse(read_file(folder / "out.json"));
  EXPECT_EQ(report["cases"].size(), 22U);
  for (const json& test_case : report["cases"]) {
    const std::string name = test_case["name"];
    const bool needs_links = name.starts_with("health.nvlink") || name == "health.fabric";
    const bool has_no_links = std::string(GetParam()).starts_with("healthy_");
    const bool is_skipped =
        (needs_links && has_no_links) || not_recorded.contains({GetParam(), name}) || lacks_network(GetParam(), name);
    EXPECT_EQ(test_case["outcome"], is_skipped ? "skip" : "pass") << name << test_case["reason"];
    EXPECT_EQ(test_case["warnings"], json::array()) << name;
  }
}
INSTANTIATE_TEST_SUITE_P(All, HealthyMachine,
                         ::testing::Values("healthy_h100", "healthy_h200", "two_healthy_h100", "simulated_gpu"),
                         [](const auto& each) { return std::string(each.param); });

/// A state that only warns: what a healthy recording says, what it says instead, who warns of it and how.
struct Mark {
  const char* name;
  std::vector<std::pair<std::string, std::string>> changes;
  const char* test_case;
  const char* key;
  const char* code;
};

class MarkedMachine : public ::testing::TestWithParam<Mark> {};

TEST_P(MarkedMachine, PassesWithAWarning) {
  const Mark& mark = GetParam();
  const TemporaryFolder folder;
  std::string state = read_file(recording("simulated_gpu"));
  for (const auto& [was, is] : mark.changes) {
    ASSERT_NE(state.find(was), std::string::npos) << was;
    state.replace(state.find(was), was.size(), is);
  }
  write_file(folder / "state.json", state);
  const CommandResult run = gpucheck({"run", mark.test_case, "--device", "sim", "--telemetry", folder / "state.json",
                                      "--json", folder / "out.json", "--no-journal"});
  EXPECT_EQ(run.exit_code, 0) << run.output << run.error_output;
  const json result = json::parse(read_file(folder / "out.json"))["cases"].at(0);
  EXPECT_EQ(result["outcome"], "pass") << result["reason"];
  ASSERT_EQ(result["warnings"].size(), 1U) << run.output;
  EXPECT_EQ(result["warnings"][0]["key"], mark.key);
  EXPECT_THAT(run.output, HasSubstr(mark.code));
}
INSTANTIATE_TEST_SUITE_P(All, MarkedMachine,
                         ::testing::Values(Mark{"ecc_off",
                                                {{"\"ecc_enabled\": true", "\"ecc_enabled\": false"},
                                                 {"\"ecc_pending\": true", "\"ecc_pending\": false"}},
                                                "health.ecc",
                                                "enabled",
                                                "GC2009"},
                                           Mark{"persistence_off",
                                                {{"\"persistence_mode\": true", "\"persistence_mode\": false"}},
                                                "health.mode",
                                                "not_as_recommended",
                                                "GC1010"},
                                           Mark{"clocks_held",
                                                {{"\"clock_event_reasons\": 0", "\"clock_event_reasons\": 2"},
                                                 {"\"clock_sm_mhz\": 1980", "\"clock_sm_mhz\": 510"}},
                                                "health.clocks",
                                                "settings_that_hold_the_clocks",
                                                "GC5006"},
                                           Mark{"memory_left_behind",
                                                {{"\"memory_used_bytes\": 0", "\"memory_used_bytes\": 4294967296"}},
                                                "health.processes",
                                                "memory_without_process",
                                                "GC2011"},
                                           Mark{"port_without_link",
                                                {{"\"4: ACTIVE\"", "\"1: DOWN\""}, {"\"5: LinkUp\"", "\"2: Polling\""}},
                                                "health.network_ports",
                                                "unexplained",
                                                "GC4017"},
                                           Mark{"closed_modules",
                                                {{"UNIX Open Kernel Module for x86_64", "UNIX x86_64 Kernel Module"}},
                                                "health.network_gpudirect",
                                                "missing",
                                                "GC4021"}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Telemetry, EccThatIsOffIsSaidWithItsCommand) {
  json machine = recorded_machine("simulated_gpu");
  machine["gpus"][0]["readings"]["ecc_enabled"] = machine["gpus"][0]["readings"]["ecc_pending"] = false;
  const MachineRun run(machine, {"health.ecc"});
  EXPECT_EQ(run.result.exit_code, 0) << run.result.output;
  EXPECT_THAT(run.result.output, AllOf(HasSubstr("ecc_off"), HasSubstr("nvidia-smi -e 1")));
}

struct Slot {
  const char* reading;
  const char* key;  ///< of the case
  const char* expectation;
  int value;
};

TEST(Telemetry, ASlotWithFewerLanesOrAnOlderGenerationMayBeExpected) {
  for (const auto& [reading, key, expectation, value] :
       {Slot{"pcie_width_lanes", "lanes_missing", "expected_width", 8},
        Slot{"pcie_generation", "generations_missing", "expected_generation", 4}}) {
    json machine = recorded_machine("two_healthy_h100");
    machine["gpus"][0]["readings"][reading] = value;
    const json slot = {{"name", "another slot"}, {"uuid", "SIM-h100-0"}, {"expect", {{expectation, value}}}};
    const TemporaryFolder folder;
    write_file(folder / "limits.json", json{{"schema", "gpucheck.limits/1"}, {"classes", {slot}}}.dump());
    const auto run = [&](const std::vector<std::string>& more) {
      return MachineRun(machine, {"health.pcie_link"}, "sim:devices=2", more);
    };
    EXPECT_EQ(run({}).keys("health.pcie_link", "mismatches"), std::vector<std::string>{key});
    EXPECT_EQ(run({"--limits", folder / "limits.json"}).result.exit_code, 0);
    machine["gpus"][1]["readings"][reading] = value;
    const MachineRun other = run({"--limits", folder / "limits.json"});
    EXPECT_EQ(other.of("health.pcie_link", 0)["outcome"], "pass");
    EXPECT_EQ(other.of("health.pcie_link", 1)["outcome"], "fail") << "the other slot is whole";
  }
}

TEST(Telemetry, AGpuHotterThanItsNeighboursIsNamedAndNoOther) {
  json machine = recorded_machine("two_healthy_h100");
  const int cool = machine["gpus"][0]["readings"]["temperature_gpu_celsius"];
  for (const int above : {20, 21}) {
    machine["gpus"][1]["readings"]["temperature_gpu_celsius"] = cool + above;
    const MachineRun run(machine, {"health.temperature"}, "sim:devices=2");
    EXPECT_EQ(run.result.exit_code, 0) << run.result.output;
    EXPECT_TRUE(run.of("health.temperature", 0)["warnings"].empty()) << above;
    const json warnings = run.of("health.temperature", 1)["warnings"];
    ASSERT_EQ(warnings.size(), above > 20 ? 1U : 0U);
    for (const json& warning : warnings) EXPECT_EQ(warning["failure"], "GC5007");
  }
}

TEST(Telemetry, TheReportSaysWhichRecordingAndWhatChanged) {
  const TemporaryFolder folder;
  const CommandResult run = run_on("healthy_h200", "nvml.temperature", folder / "out.json");
  EXPECT_EQ(run.exit_code, 0) << run.error_output;
  const json report = json::parse(read_file(folder / "out.json"));
  EXPECT_EQ(report["telemetry"], recording("healthy_h200"));
  EXPECT_EQ(report["cases"][0]["observations"]["temperature_celsius"], 41);
  const json& gpu = report["cases"][0]["telemetry"].at(0);
  EXPECT_EQ(gpu["device"], 0);
  EXPECT_EQ(gpu["changes"], json::array());
  EXPECT_EQ(gpu["problem"], "");
  EXPECT_THAT(report["cases"][0]["rerun_command"].get<std::string>(), HasSubstr("--telemetry"));
}

TEST(Telemetry, EachOfSeveralDevicesHasItsOwn) {
  const TemporaryFolder folder;
  const CommandResult run =
      gpucheck({"run", "nvml.handle", "--device", "sim:devices=2", "--json", folder / "out.json", "--no-journal"});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  const json cases = json::parse(read_file(folder / "out.json"))["cases"];
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[1]["telemetry"].at(0)["device"], 1);
}

TEST(Telemetry, ARecordingStandsInForSimulatedDevicesAlone) {
  const CommandResult automatic = gpucheck({"run", "nvml.handle", "--telemetry", recording("healthy_h100")});
  EXPECT_EQ(automatic.exit_code, 2);
  EXPECT_THAT(automatic.error_output, HasSubstr("stands in for the driver of simulated devices alone"));
  const CommandResult missing = gpucheck({"run", "nvml.handle", "--device", "sim", "--telemetry", "/no/such.json"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.error_output, HasSubstr("/no/such.json"));
}

/// It gives up after five seconds, and is not part of the four that the case is given.
TEST(Telemetry, WaitingForABusyGpuIsNoHang) {
  const TemporaryFolder folder;
  std::string state = read_file(recording("simulated_gpu"));
  const std::string idle = "\"utilization_gpu_percent\": 0";
  ASSERT_NE(state.find(idle), std::string::npos);
  state.replace(state.find(idle), idle.size(), "\"utilization_gpu_percent\": 40");
  write_file(folder / "busy.json", state);
  const CommandResult result = gpucheck({"run", "bandwidth.device_read", "--device", "sim", "--timeout", "4s",
                                         "--telemetry", folder / "busy.json", "--json", folder / "result.json"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("was not seen idle"));
  const json before = json::parse(read_file(folder / "result.json"))["cases"].at(0)["telemetry"].at(0)["before"];
  EXPECT_EQ(before["is_idle"], false);
  EXPECT_EQ(before["reason"], "utilization is 40 %");
}

}  // namespace
}  // namespace gpucheck::application
