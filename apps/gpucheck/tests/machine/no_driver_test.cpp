#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.hpp"

/// Runs on a machine that shows a GPU, and whose driver is not loaded: a folder that stands in for the PCI bus, in a
/// mount namespace of the command's own.
namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class NoDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a driver";
    if (!std::filesystem::exists("/sys/bus/pci/devices")) GTEST_SKIP() << "this machine shows no PCI bus";
    if (run_on_bus("true").exit_code != 0) GTEST_SKIP() << "no mount namespaces here";
    add_gpu("0000:3b:00.0");
  }
  void add_gpu(const std::string& address, const std::string& driver = "") const {
    write_file(bus() + "/" + address + "/vendor", "0x10de\n");
    write_file(bus() + "/" + address + "/class", "0x030200\n");
    if (!driver.empty()) {
      std::filesystem::create_directory_symlink("../../drivers/" + driver, bus() + "/" + address + "/driver");
    }
  }
  [[nodiscard]] CommandResult run_on_bus(const std::string& command) const {
    std::filesystem::create_directories(bus());
    return run_program("/usr/bin/unshare", {"-rm", "/bin/sh", "-c",
                                            fmt::format("mount --bind {} /sys/bus/pci/devices && {}", bus(), command)});
  }
  [[nodiscard]] CommandResult run(const std::string& arguments) const {
    return run_on_bus(fmt::format("exec {} run {}", GPUCHECK_PROGRAM, arguments));
  }
  [[nodiscard]] std::string bus() const { return folder / "bus"; }

  TemporaryFolder folder;
};

TEST_F(NoDriver, TheSimulatorNeverStandsInForAGpu) {
  const CommandResult result = run("device.check_error --json " + (folder / "out.json"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.output, AllOf(HasSubstr("the driver is not loaded: GPU at 0000:3b:00.0"),
                                   HasSubstr("modprobe nvidia"), HasSubstr("NOT JUDGED")));
  const json report = json::parse(read_file(folder / "out.json"));
  EXPECT_EQ(report["devices"].at(0)["kind"], "cuda");
  EXPECT_EQ(report["devices"].at(0)["pci_bus_id"], "0000:3b:00.0");
  EXPECT_EQ(report["cases"].at(0)["outcome"], "error");
  EXPECT_THAT(report["cases"].at(0)["reason"].get<std::string>(), HasSubstr("the driver is not loaded"));
  EXPECT_EQ(report["cases"].at(0)["failures"].at(0)["code"], "GC6011");
  EXPECT_EQ(report["cases"].at(0)["failures"].at(0)["action"], "configure");
}

TEST_F(NoDriver, AQuietRunSaysItToo) {
  const CommandResult result = run("device.check_error -q");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.output, HasSubstr("the driver is not loaded"));
}

TEST_F(NoDriver, AnotherKernelDriverIsNamed) {
  add_gpu("0000:3c:00.0", "vfio-pci");
  EXPECT_THAT(run("device.check_error").output, HasSubstr("0000:3c:00.0 is bound to vfio-pci"));
}

TEST_F(NoDriver, NoCaseOfTheMachinesHealthPasses) {
  const CommandResult result =
      run("health.fabric health.inventory health.software nvml.handle --json " + (folder / "out.json"));
  EXPECT_EQ(result.exit_code, 3) << result.output;
  const json report = json::parse(read_file(folder / "out.json"));
  for (const json& each : report["cases"]) {
    EXPECT_EQ(each["outcome"], "error") << each["name"];
    EXPECT_THAT(each["reason"].get<std::string>(), HasSubstr("the driver is not loaded")) << each["name"];
  }
}

// The driver is there and whole, and NVML may not open the GPUs: the job's or the container's fault, not the driver's.
TEST_F(NoDriver, AJobThatMayNotOpenTheGpusHasADriver) {
  const std::string driver = folder / "driver";
  write_file(driver + "/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04\n");
  write_file(folder / "dev/nvidiactl", "");
  write_file(folder / "dev/nvidia-uvm", "");
  const std::string libraries = folder / "libraries";
  std::filesystem::create_directory(libraries);
  for (const char* library : {"libcuda.so.1", "libnvidia-ml.so.1", "libnvidia-ptxjitcompiler.so.1"}) {
    std::filesystem::create_symlink(GPUCHECK_SLOW_NVML_FOLDER "/libnvidia-ml.so.1", libraries + "/" + library);
  }
  const CommandResult result =
      run_on_bus(fmt::format("mount --bind {} /proc/driver && mount --bind {} /dev && exec env LD_LIBRARY_PATH={} "
                             "GPUCHECK_TEST_NVML=init=17 {} run "
                             "health.software health.ecc --json {}",
                             driver, folder / "dev", libraries, GPUCHECK_PROGRAM, folder / "out.json"));
  EXPECT_EQ(result.exit_code, 1) << result.output;
  const json report = json::parse(read_file(folder / "out.json"));
  for (const json& each : report["cases"]) {
    EXPECT_EQ(each["failures"].at(0)["code"], "GC6010") << each;
  }
}

// -- a driver that hangs -----------------------------------------------------------------------------

class HangingDriverOnABus : public NoDriver {
 protected:
  /// What is recorded of this bus with two GPUs more, which are the driver's, and what is said meanwhile.
  [[nodiscard]] json recorded(const std::string& library) const {
    add_gpu("0000:00:00.0", "nvidia");
    add_gpu("0000:01:00.0", "nvidia");
    const CommandResult result =
        run_on_bus(fmt::format("LD_LIBRARY_PATH={} GPUCHECK_TEST_NVML='{}' {} info --record {}",
                               GPUCHECK_SLOW_NVML_FOLDER, library, GPUCHECK_PROGRAM, folder / "state.json"));
    EXPECT_EQ(result.exit_code, 0) << result.error_output;
    return {{"said", result.error_output}, {"gpus", json::parse(read_file(folder / "state.json"))["gpus"]}};
  }
};

TEST_F(HangingDriverOnABus, AGpuThatNeverSaidWhereItIsIsWhereNoneHasAnswered) {
  const json state = recorded("gpus=2 hang=nvmlDeviceGetHandleByIndex_v2@0");
  ASSERT_EQ(state["gpus"].size(), 2U) << state;
  EXPECT_EQ(state["gpus"][0]["readings"]["pci_address"], "0000:00:00.0");
  EXPECT_EQ(state["gpus"][1]["readings"]["pci_address"], "00000000:01:00.0");
  EXPECT_THAT(state["said"].get<std::string>(), HasSubstr("GPU 0 at 0000:00:00.0 does not answer"));
}

TEST_F(HangingDriverOnABus, WhoseListHangsHasSilentGpusWhereTheBusHasThem) {
  const json state = recorded("gpus=2 hang=nvmlDeviceGetCount_v2");
  ASSERT_EQ(state["gpus"].size(), 2U) << state;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string address = fmt::format("0000:0{}:00.0", i);
    EXPECT_EQ(state["gpus"][i]["readings"]["pci_address"], address);
    EXPECT_THAT(state["said"].get<std::string>(), HasSubstr(fmt::format("GPU at {} does not answer", address)));
  }
  EXPECT_THAT(state["said"].get<std::string>(), Not(HasSubstr("0000:3b:00.0 does not answer"))) << "no driver has it";
}

TEST_F(NoDriver, TheSimulatorIsHadByItsName) {
  const CommandResult result = run("device.check_error --device sim");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("driver is not loaded")));
}

}  // namespace
}  // namespace gpucheck::application
