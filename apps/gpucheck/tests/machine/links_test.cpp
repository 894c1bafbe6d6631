#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/machine/judged_recording.hpp"

// States of links that a recording reports, from the file to the verdict.
namespace gpucheck::application::links {
namespace {

using ::testing::HasSubstr;

constexpr const char* card = "NVIDIA H100 NVL";

/// Links of one GPU from `first` on, as many as said.
void take_down(json& gpu, std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i) gpu["links"][i]["is_active"] = false;
}

void set_counters(json& gpu, const json& value) {
  for (json& link : gpu["links"]) {
    for (const char* key : {"replays", "recoveries", "crc_flit_errors", "crc_data_errors"}) link[key] = value;
  }
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

}  // namespace
}  // namespace gpucheck::application::links
