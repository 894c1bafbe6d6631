#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.hpp"

/// A job that may use some of a machine's GPUs: the kernel answers EPERM where its cgroup forbids a device file, and
/// the driver lists the others.
namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* forbidden = "Operation not permitted";

class JobsOwnView : public ::testing::Test {
 protected:
  JobsOwnView() : machine_(json::parse(read_file(std::string(GPUCHECK_RECORDED_MACHINES) + "/two_healthy_h100.json"))) {
    json& host = machine_["host"];
    host["device_files"] = json::array();
    add_file("/dev/nvidiactl", "");
    add_file("/dev/nvidia-uvm", "");
    const json bus = host["pci_gpus"].at(0);
    host["pci_gpus"] = json::array();
    for (int gpu = 0; gpu < 8; ++gpu) {
      add_file("/dev/nvidia" + std::to_string(gpu), gpu < 2 ? "" : forbidden);
      json on_bus = bus;
      on_bus["address"] = gpu < 2 ? machine_["gpus"].at(static_cast<std::size_t>(gpu))["readings"]["pci_address"]
                                  : json("0000:a" + std::to_string(gpu) + ":00.0");
      host["pci_gpus"].push_back(on_bus);
    }
  }
  void add_file(const std::string& name, const std::string& problem) {
    machine_["host"]["device_files"].push_back({{"name", name}, {"problem", problem}});
  }
  void break_file(std::size_t place, const std::string& problem) {
    machine_["host"]["device_files"].at(place)["problem"] = problem;
  }
  /// The result of a case of health on the machine, as JSON.
  json run(const std::string& test_case, const std::string& device = "sim:devices=2") {
    write_file(folder_ / "machine.json", machine_.dump());
    const CommandResult result = gpucheck({"run", test_case, "--device", device, "--telemetry",
                                           folder_ / "machine.json", "--json", folder_ / "out.json", "--no-journal"});
    EXPECT_NE(result.exit_code, 2) << result.error_output;
    return json::parse(read_file(folder_ / "out.json"))["cases"].at(0);
  }

  json machine_;
  TemporaryFolder folder_;
};

TEST_F(JobsOwnView, TheOthersGpusAreNotMissing) {
  const json inventory = run("health.inventory");
  EXPECT_EQ(inventory["outcome"], "pass") << inventory["reason"];
  EXPECT_EQ(inventory["observations"]["gpus_expected"], 2);
  EXPECT_EQ(inventory["observations"]["gpus_not_ours"], 6);
  EXPECT_EQ(run("health.software")["outcome"], "pass");
}

TEST_F(JobsOwnView, OneOfItsOwnThatIsLostIsMissing) {
  machine_["gpus"].erase(1);
  const json inventory = run("health.inventory", "sim");
  EXPECT_EQ(inventory["outcome"], "fail");
  EXPECT_EQ(inventory["observations"]["gpus_missing"], 1);
}

TEST_F(JobsOwnView, WithoutAGpuOfItsOwnNothingIsJudged) {
  for (const std::size_t place : {std::size_t{2}, std::size_t{3}}) break_file(place, forbidden);
  machine_["gpus"] = json::array();
  const json inventory = run("health.inventory", "sim");
  EXPECT_EQ(inventory["outcome"], "skip");
  EXPECT_THAT(inventory["reason"].get<std::string>(), HasSubstr("allow none of the 8 GPUs"));
}

TEST_F(JobsOwnView, AFileThatEveryProgramNeedsIsForbiddenAndNoMissingDriver) {
  break_file(1, forbidden);
  const json software = run("health.software");
  EXPECT_EQ(software["outcome"], "fail");
  EXPECT_THAT(software["observations"]["forbidden_device_files"],
              ElementsAre("/dev/nvidia-uvm: Operation not permitted"));
  ASSERT_EQ(software["mismatches"].size(), 1U);
  EXPECT_EQ(software["mismatches"].at(0)["failure"], "GC6010");
}

/// File permissions answer EACCES: no job's view, but a mistake on the node.
TEST_F(JobsOwnView, PermissionsThatAreWrongAreAFailureStill) {
  break_file(2, "Permission denied");
  EXPECT_THAT(run("health.software")["observations"]["unusable_device_files"],
              ElementsAre("/dev/nvidia0: Permission denied"));
}

}  // namespace
}  // namespace gpucheck::application
