#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/machine/judged_recording.hpp"

// Readings that a recording reports, from the file to the verdict.
namespace gpucheck::application::links {
namespace {

using ::testing::HasSubstr;

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
