#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.hpp"

// States of links and readings that a recording reports, from the file to the verdict.
namespace gpucheck::application::links {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* card = "NVIDIA H100 NVL";
const json not_supported = {{"unavailable", "not supported"}};
const json unknown_error = {{"failed", "Unknown Error"}};

/// The simulated H100's recording with that many GPUs, all 18 NVLinks up.
json machine_of(int gpus) {
  json machine = json::parse(read_file(std::string(GPUCHECK_RECORDED_MACHINES) + "/simulated_gpu.json"));
  const json gpu = machine["gpus"][0];
  machine["gpus"] = json::array();
  for (int i = 0; i < gpus; ++i) {
    json& copy = machine["gpus"].emplace_back(gpu);
    copy["readings"]["pci_address"] = "00000000:3" + std::to_string(i) + ":00.0";
    copy["readings"]["uuid"] = "GPU-00000000-0000-0000-0000-00000000000" + std::to_string(i);
  }
  return machine;
}

void rename(json& machine, const std::string& name) {
  for (json& gpu : machine["gpus"]) gpu["readings"]["name"] = name;
}

/// Links of one GPU from `first` on, as many as said.
void take_down(json& gpu, std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i) gpu["links"][i]["is_active"] = false;
}

void set_counters(json& gpu, const json& value) {
  for (json& link : gpu["links"]) {
    for (const char* key : {"replays", "recoveries", "crc_flit_errors", "crc_data_errors"}) link[key] = value;
  }
}

/// What came of one case.
struct Judged {
  CommandResult command;
  json cases;  ///< its results, by device
  [[nodiscard]] const json& on(std::size_t device) const { return cases.at(device); }
  [[nodiscard]] std::string outcome(std::size_t device = 0) const { return on(device)["outcome"]; }
  [[nodiscard]] std::string reason(std::size_t device = 0) const { return on(device)["reason"]; }
  [[nodiscard]] std::vector<std::string> keys(const char* list, std::size_t device = 0) const {
    std::vector<std::string> keys;
    for (const json& difference : on(device)[list]) keys.push_back(difference["key"]);
    return keys;
  }
};
using Keys = std::vector<std::string>;

Judged run(const char* test_case, const json& machine, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  write_file(folder / "machine.json", machine.dump());
  std::vector<std::string> arguments{"run",         test_case,
                                     "--device",    "sim:devices=" + std::to_string(machine["gpus"].size()),
                                     "--telemetry", folder / "machine.json",
                                     "--json",      folder / "out.json",
                                     "--no-journal"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Judged judged{.command = gpucheck(arguments), .cases = {}};
  const json report = json::parse(read_file(folder / "out.json"), nullptr, false);
  if (report.contains("cases")) judged.cases = report["cases"];
  return judged;
}

/// With a limits file of these classes.
Judged run_with_classes(const char* test_case, const json& machine, const std::string& classes) {
  const TemporaryFolder folder;
  write_file(folder / "limits.json", R"({"schema": "gpucheck.limits/1", "classes": [)" + classes + "]}");
  return run(test_case, machine, {"--limits", folder / "limits.json"});
}

// -- how many links ------------------------------------------------------------------------------

TEST(Links, AllDownOnABoardOfSeveralFails) {
  json machine = machine_of(2);
  for (json& gpu : machine["gpus"]) take_down(gpu, 0, 18);
  const Judged judged = run("health.nvlink", machine);
  EXPECT_EQ(judged.command.exit_code, 1);
  EXPECT_EQ(judged.keys("mismatches", 1), Keys{"links_missing"});
  EXPECT_EQ(judged.on(1)["observations"]["links_expected"], 18);
}

TEST(Links, AllDownOfASingleGpuIsAWarningThatNamesWhatToSay) {
  json machine = machine_of(1);
  take_down(machine["gpus"][0], 0, 18);
  const Judged judged = run("health.nvlink", machine);
  EXPECT_EQ(judged.command.exit_code, 0);
  EXPECT_EQ(judged.keys("warnings"), Keys{"links_unexplained"});
  EXPECT_THAT(judged.command.output, HasSubstr("WARN"));
  EXPECT_THAT(judged.command.output, HasSubstr("expected_links"));
  EXPECT_EQ(judged.on(0)["observations"]["links_missing"], "not available");
}

TEST(Links, AllDownOnCardsIsAWarningUntilItIsSaidWhatIsExpected) {
  json machine = machine_of(2);
  rename(machine, card);
  for (json& gpu : machine["gpus"]) take_down(gpu, 0, 18);
  const Judged unsaid = run("health.nvlink", machine);
  EXPECT_EQ(unsaid.outcome(), "pass");
  EXPECT_EQ(unsaid.keys("warnings"), Keys{"links_unexplained"});
  const Judged none = run("health.nvlink", machine, {"-p", "expected_links=0"});
  EXPECT_EQ(none.outcome(), "pass");
  EXPECT_EQ(none.keys("warnings"), Keys{});
  const Judged bridged = run("health.nvlink", machine, {"-p", "expected_links=12"});
  EXPECT_EQ(bridged.outcome(), "fail");
  EXPECT_EQ(bridged.keys("mismatches"), Keys{"links_missing"});
}

TEST(Links, TheSameDownOnEveryGpuOfAKnownModelFails) {
  json machine = machine_of(2);
  for (json& gpu : machine["gpus"]) take_down(gpu, 7, 2);
  const Judged judged = run("health.nvlink", machine);
  EXPECT_EQ(judged.outcome(0), "fail");
  EXPECT_EQ(judged.outcome(1), "fail");
}

TEST(Links, OfACardAreThoseOfItsBridges) {
  json machine = machine_of(2);
  rename(machine, card);
  for (json& gpu : machine["gpus"]) take_down(gpu, 12, 6);
  EXPECT_EQ(run("health.nvlink", machine).outcome(), "pass") << "12 of 18 by design";
  for (json& gpu : machine["gpus"]) take_down(gpu, 8, 4);
  EXPECT_EQ(run("health.nvlink", machine).keys("mismatches"), Keys{"links_missing"}) << "one bridge of three is loose";
}

TEST(Links, OfAnUnknownModelAreThoseOfItsNeighbours) {
  json machine = machine_of(2);
  rename(machine, "NVIDIA Z100");
  for (json& gpu : machine["gpus"]) take_down(gpu, 10, 8);
  EXPECT_EQ(run("health.nvlink", machine).outcome(), "pass");
  take_down(machine["gpus"][1], 9, 1);
  EXPECT_EQ(run("health.nvlink", machine).outcome(1), "fail");
}

TEST(Links, InMigModeMayAllBeDown) {
  json machine = machine_of(2);
  for (json& gpu : machine["gpus"]) {
    take_down(gpu, 0, 18);
    gpu["readings"]["mig_enabled"] = gpu["readings"]["mig_pending"] = true;
  }
  EXPECT_EQ(run("health.nvlink", machine).keys("warnings"), Keys{"links_unexplained"});
}

// -- what the driver does not say ---------------------------------------------------------------

TEST(Links, ThatAreNotOfferedAreASkip) {
  json machine = machine_of(1);
  machine["gpus"][0]["links"] = not_supported;
  machine["gpus"][0]["readings"]["fabric_state"] = machine["gpus"][0]["readings"]["fabric_status"] = not_supported;
  const Judged judged = run("health.nvlink", machine);
  EXPECT_EQ(judged.outcome(), "skip");
  EXPECT_THAT(judged.reason(), HasSubstr("NVLink is not offered to this machine"));
  EXPECT_EQ(run("health.nvlink", machine, {"-p", "expected_links=18"}).outcome(), "fail") << "somebody expects them";
}

TEST(Links, ThatCannotBeReadAreAnError) {
  json machine = machine_of(1);
  json& gpu = machine["gpus"][0];
  for (const json& failed : {unknown_error, json{{"unavailable", "nvmlDeviceGetNvLinkState: Unknown Error"}}}) {
    gpu["links"] = failed;
    EXPECT_EQ(run("health.nvlink", machine).outcome(), "error") << failed;
  }
  gpu["links"] = json::array();
  const Judged contradicted = run("health.nvlink", machine);
  EXPECT_EQ(contradicted.outcome(), "error");
  EXPECT_THAT(contradicted.reason(), HasSubstr("belongs to an NVLink fabric"));
}

TEST(Links, NoneInTheListIsAnErrorWhereANeighbourHasSome) {
  json machine = machine_of(2);
  for (json& gpu : machine["gpus"]) gpu["readings"]["fabric_state"] = not_supported;
  machine["gpus"][1]["links"] = json::array();
  EXPECT_EQ(run("health.nvlink", machine).outcome(1), "error");
}

TEST(Links, OneStateThatFailsIsAnErrorAndOneThatIsNotSupportedIsMissing) {
  json machine = machine_of(1);
  machine["gpus"][0]["links"][17]["is_active"] = unknown_error;
  const Judged failed = run("health.nvlink", machine);
  EXPECT_EQ(failed.outcome(), "error");
  EXPECT_THAT(failed.reason(), HasSubstr("link 17: is_active: Unknown Error"));
  machine["gpus"][0]["links"][17]["is_active"] = not_supported;
  EXPECT_EQ(run("health.nvlink", machine).keys("mismatches"), Keys{"links_missing"});
}

TEST(Links, WithoutAnyStateAreNotTakenForDown) {
  json machine = machine_of(2);
  for (json& gpu : machine["gpus"]) {
    for (json& link : gpu["links"]) link.erase("is_active");
  }
  const Judged judged = run("health.nvlink", machine);
  EXPECT_EQ(judged.outcome(), "skip");
  EXPECT_THAT(judged.reason(), HasSubstr("not in the recording"));
}

TEST(LinkCounters, ThatAreNotOfferedAreASkipWhereTheLinksAreUp) {
  json machine = machine_of(1);
  set_counters(machine["gpus"][0], not_supported);
  const Judged judged = run("health.nvlink", machine);
  EXPECT_EQ(judged.outcome(), "skip");
  EXPECT_THAT(judged.reason(), HasSubstr("18 NVLinks are up, and nothing counts their errors: not supported"));
  take_down(machine["gpus"][0], 3, 1);
  const Judged down = run("health.nvlink", machine);
  EXPECT_EQ(down.keys("mismatches"), Keys{"links_missing"});
  EXPECT_EQ(down.on(0)["observations"]["links_with_new_errors"], "not available");
}

TEST(LinkCounters, OfOneLinkThatAreNotOfferedAreNamed) {
  json machine = machine_of(1);
  for (const char* key : {"replays", "crc_flit_errors", "crc_data_errors"})
    machine["gpus"][0]["links"][4][key] = not_supported;
  const Judged judged = run("health.nvlink", machine);
  EXPECT_EQ(judged.outcome(), "pass");
  EXPECT_EQ(judged.on(0)["observations"]["not_available"], json::array({"link 4: errors"}));
}

TEST(LinkCounters, ThatFailAreAnError) {
  for (const char* key : {"replays", "recoveries", "crc_flit_errors", "crc_data_errors"}) {
    json machine = machine_of(1);
    machine["gpus"][0]["links"][9][key] = unknown_error;
    const Judged judged = run("health.nvlink", machine);
    EXPECT_EQ(judged.outcome(), "error") << key;
    EXPECT_EQ(judged.command.exit_code, 3) << key;
    EXPECT_THAT(judged.reason(), HasSubstr(std::string("link 9: ") + key + ": Unknown Error"));
  }
}

// -- expectations in a limits file -----------------------------------------------------------------

TEST(Expectations, OfOneDeviceGoBeforeThoseOfItsModel) {
  json machine = machine_of(3);
  rename(machine, card);
  for (json& gpu : machine["gpus"]) take_down(gpu, 12, 6);
  take_down(machine["gpus"][2], 0, 12);
  const std::string model = R"({"name": "cards", "device": "NVIDIA H100 NVL", "expect": {"expected_links": 12}})";
  EXPECT_EQ(run_with_classes("health.nvlink", machine, model).outcome(2), "fail");
  const Judged judged = run_with_classes(
      "health.nvlink", machine,
      R"({"name": "no bridge", "pci_address": "0000:32:00.0", "expect": {"expected_links": 0}}, )" + model);
  EXPECT_EQ(judged.command.exit_code, 0) << judged.command.output;
  EXPECT_EQ(judged.on(1)["parameters"]["expected_links"], 12);
  EXPECT_EQ(judged.on(2)["parameters"]["expected_links"], 0);
  EXPECT_EQ(judged.keys("warnings", 2), Keys{});
  EXPECT_THAT(judged.on(2)["rerun_command"].get<std::string>(), HasSubstr("expected_links=0"));
}

TEST(Expectations, TheCommandLineGoesBefore) {
  const TemporaryFolder folder;
  write_file(folder / "limits.json",
             R"({"schema": "gpucheck.limits/1", "classes": [{"name": "all", "expect": {"expected_links": 4}}]})");
  json machine = machine_of(1);
  EXPECT_EQ(run("health.nvlink", machine, {"--limits", folder / "limits.json"}).on(0)["parameters"]["expected_links"],
            4);
  EXPECT_EQ(run("health.nvlink", machine, {"--limits", folder / "limits.json", "-p", "expected_links=18"})
                .on(0)["parameters"]["expected_links"],
            18);
}

// -- other readings ----------------------------------------------------------------------------------

TEST(PcieLink, OfAGpuOnItsProcessorsPackageIsNotJudged) {
  json machine = machine_of(1);
  rename(machine, "NVIDIA GB10");
  json& readings = machine["gpus"][0]["readings"];
  readings["pcie_generation"] = readings["pcie_width_lanes"] = 1;
  const Judged judged = run("health.pcie_link", machine);
  EXPECT_EQ(judged.outcome(), "skip");
  EXPECT_THAT(judged.reason(), HasSubstr("without a PCIe link"));
  rename(machine, "NVIDIA H200");
  EXPECT_EQ(run("health.pcie_link", machine).outcome(), "fail");
}

/// A case, and a reading that it judges something by.
struct JudgedBy {
  const char* test_case;
  const char* reading;
};
constexpr JudgedBy judged_by[] = {
    {"health.ecc", "ecc_enabled"},
    {"health.ecc", "ecc_pending"},
    {"health.ecc", "ecc_volatile_uncorrected"},
    {"health.ecc", "ecc_volatile_corrected"},
    {"health.fabric", "fabric_state"},
    {"health.fabric", "fabric_status"},
    {"health.mode", "compute_mode"},
    {"health.mode", "mig_enabled"},
    {"health.mode", "mig_pending"},
    {"health.pcie_link", "pcie_generation"},
    {"health.pcie_link", "pcie_width_lanes"},
    {"health.pcie_link", "pcie_generation_max"},
    {"health.pcie_link", "pcie_width_max_lanes"},
    {"health.pcie_replay", "pcie_replays"},
    {"health.power", "power_draw_mw"},
    {"health.power", "power_limit_mw"},
    {"health.power", "power_limit_default_mw"},
    {"health.row_remap", "remap_pending"},
    {"health.row_remap", "remap_failed"},
    {"health.row_remap", "remapped_rows_uncorrected"},
    {"health.row_remap", "remap_banks_none"},
    {"health.row_remap", "retired_pages_pending"},
    {"health.row_remap", "retired_pages_double_bit"},
};

class ReadingOfACase : public ::testing::TestWithParam<JudgedBy> {
 protected:
  [[nodiscard]] static Judged with(const json& value) {
    json machine = machine_of(1);
    machine["gpus"][0]["readings"][GetParam().reading] = value;
    return run(GetParam().test_case, machine);
  }
};

TEST_P(ReadingOfACase, ThatFailsIsAnError) {
  const Judged judged = with({{"failed", "Unknown Error"}});
  EXPECT_EQ(judged.outcome(), "error");
  EXPECT_THAT(judged.reason(), HasSubstr("Unknown Error"));
  EXPECT_EQ(with({{"unavailable", "Other error"}}).outcome(), "error") << "as older recordings have it";
  EXPECT_EQ(with({{"failed", "GPU is lost"}}).outcome(), "fail");
}

TEST_P(ReadingOfACase, ThatIsNotOfferedIsNeverTakenForAGoodOne) {
  const Judged judged = with(not_supported);
  if (judged.outcome() == "skip") return;
  EXPECT_EQ(judged.outcome(), "pass");
  const std::string observations = judged.on(0)["observations"].dump();
  const bool is_told = observations.find("not available") != std::string::npos ||
                       observations.find("not supported") != std::string::npos;
  // A GPU has remapped rows or retired pages: the one stands for the other.
  const bool has_another =
      std::string(GetParam().reading).starts_with("re") && std::string(GetParam().test_case) == "health.row_remap";
  EXPECT_TRUE(is_told || has_another) << observations;
}
INSTANTIATE_TEST_SUITE_P(All, ReadingOfACase, ::testing::ValuesIn(judged_by), [](const auto& each) {
  const std::string name = each.param.test_case;
  return name.substr(name.find('.') + 1) + "_" + each.param.reading;
});

TEST(Processes, ThatCannotBeReadAreAnErrorAndNotOfferedASkip) {
  json machine = machine_of(1);
  machine["gpus"][0]["processes"] = unknown_error;
  EXPECT_EQ(run("health.processes", machine).outcome(), "error");
  machine["gpus"][0]["processes"] = not_supported;
  EXPECT_EQ(run("health.processes", machine).outcome(), "skip");
}

TEST(EmptyLists, AreNoEvidence) {
  json machine = machine_of(1);
  json& host = machine["host"];
  host["libraries"] = json::array();
  const Judged half = run("health.software", machine);
  EXPECT_EQ(half.outcome(), "pass");
  EXPECT_EQ(half.on(0)["observations"]["unusable_libraries"], "not available");
  host["device_files"] = json::array();
  EXPECT_EQ(run("health.software", machine).outcome(), "skip");
  EXPECT_EQ(run("health.inventory", machine).outcome(), "skip");
  const Judged told = run("health.inventory", machine, {"-p", "expected_gpus=1"});
  EXPECT_EQ(told.outcome(), "pass");
  host["pci_gpus"] = json::array();
  EXPECT_EQ(run("health.inventory", machine, {"-p", "expected_gpus=1"}).on(0)["observations"]["without_driver"],
            "not available");
}

TEST(Recordings, AValueOfTheWrongTypeIsAnErrorOfTheRun) {
  for (const json& wrong : {json(true), json("0"), json(-1), json(nullptr)}) {
    json machine = machine_of(1);
    machine["gpus"][0]["readings"]["ecc_volatile_uncorrected"] = wrong;
    const Judged judged = run("health.ecc", machine);
    EXPECT_EQ(judged.command.exit_code, 3) << wrong;
    EXPECT_THAT(judged.command.error_output, HasSubstr("ecc_volatile_uncorrected: expected an integer")) << wrong;
  }
}

}  // namespace
}  // namespace gpucheck::application::links
