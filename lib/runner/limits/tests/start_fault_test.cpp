#include "runner/limits/start_fault.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "device/values/error_codes.hpp"
#include "harness/result/failure_kinds.hpp"
#include "telemetry/machine/driver_state.hpp"

namespace gpucheck::runner {
namespace {

std::string_view fault_of(std::string_view words) { return start_fault_in_words(words).value_or("nothing"); }

std::string_view fault_of_code(int code, std::string_view call = "device 0 cannot be used: CUDA does not start") {
  return fault_of(fmt::format("{}: {}", call, device::status_words(static_cast<device::Status>(code))));
}

TEST(StartFault, OfEveryCodeIsAKindWithAStepOfItsOwn) {
  for (const device::ErrorCode& code : device::error_codes()) {
    if (code.code == 0) continue;
    const harness::FailureKind* const kind = harness::find_failure_kind(fault_of_code(code.code));
    ASSERT_NE(kind, nullptr) << code.name;
    EXPECT_NE(kind->action, harness::NextAction::rerun) << code.name;
  }
  EXPECT_EQ(fault_of_code(4711), "cuda_does_not_start");
}

TEST(StartFault, NamesTheCause) {
  const std::map<int, std::string_view> expected{
      {2, "device_taken"},           {3, "cuda_does_not_start"}, {34, "libcuda_mismatch"},
      {35, "driver_too_old"},        {46, "device_taken"},       {100, "no_visible_device"},
      {101, "no_visible_device"},    {222, "driver_too_old"},    {304, "device_files_unusable"},
      {800, "device_access_denied"}, {802, "system_not_ready"},  {803, "libcuda_mismatch"},
      {804, "libcuda_mismatch"},     {805, "mps_unusable"},      {810, "mps_unusable"},
      {999, "cuda_does_not_start"}};
  for (const auto& [code, fault] : expected) {
    EXPECT_EQ(fault_of_code(code), fault) << code;
    EXPECT_EQ(fault_of_code(code, "making a context on the device"), fault) << code;
  }
  EXPECT_EQ(fault_of("nvmlInit_v2: Insufficient Permissions"), "device_access_denied");
  EXPECT_EQ(fault_of("nvmlInit_v2: GPU access blocked by the operating system"), "device_access_denied");
  EXPECT_EQ(fault_of("ecc_enabled: nvmlDeviceGetEccMode: Driver/library version mismatch"), "driver_unfit");
  EXPECT_EQ(fault_of("CUDA has no device to offer: compare with nvidia-smi -L"), "no_visible_device");
  EXPECT_EQ(fault_of("device 0 cannot be used: CUDA does not start: no answer within 20 s: the driver hangs"), "hang");
}

/// Each code that has a cause of its own, with those before and behind it.
TEST(StartFault, OfACodeIsNotThatOfItsNeighbours) {
  const std::map<int, std::string_view> known{{2, "device_taken"},
                                              {34, "libcuda_mismatch"},
                                              {35, "driver_too_old"},
                                              {36, "driver_too_old"},
                                              {46, "device_taken"},
                                              {100, "no_visible_device"},
                                              {101, "no_visible_device"},
                                              {214, "uncorrectable_memory_error"},
                                              {216, "device_taken"},
                                              {220, "nvlink_errors"},
                                              {222, "driver_too_old"},
                                              {226, "hardware_error_reported"},
                                              {304, "device_files_unusable"},
                                              {714, "hardware_error_reported"},
                                              {800, "device_access_denied"},
                                              {802, "system_not_ready"},
                                              {803, "libcuda_mismatch"},
                                              {804, "libcuda_mismatch"},
                                              {805, "mps_unusable"},
                                              {806, "mps_unusable"},
                                              {807, "mps_unusable"},
                                              {808, "mps_unusable"},
                                              {809, "mps_unusable"},
                                              {810, "mps_unusable"}};
  for (int code = 1; code < 1000; ++code) {
    const auto found = known.find(code);
    const std::string_view expected = found == known.end() ? "cuda_does_not_start" : found->second;
    EXPECT_EQ(fault_of(fmt::format("CUDA does not start: (cudaErrorSome, {})", code)), expected) << code;
    EXPECT_EQ(fault_of(fmt::format("opening the device: unrecognized error code {}", code)), expected) << code;
  }
}

TEST(StartFault, NeedsACodeBehindTheWordsOfAStart) {
  for (const char* const beginning : {"CUDA does not start: ", "cannot be used: ", "opening the device: ",
                                      "making a context on the device: ", "counting the devices: "}) {
    const std::string words = beginning;
    EXPECT_EQ(fault_of(words + "unknown error (cudaErrorUnknown, 999)"), "cuda_does_not_start");
    EXPECT_EQ(fault_of(words + "unrecognized error code 802"), "system_not_ready");
    EXPECT_EQ(fault_of(words + "no reason"), "nothing");
    EXPECT_EQ(fault_of(words + "success (cudaErrorNone, 0)"), "nothing");
  }
  EXPECT_EQ(fault_of("copying: not ready (cudaErrorSystemNotReady, 802)"), "nothing");
}

TEST(StartFault, WantsAllTheWordsOfASign) {
  EXPECT_EQ(fault_of("the driver is not loaded: no module"), "driver_not_loaded");
  EXPECT_EQ(fault_of("the driver is loaded, but /dev/nvidiactl: Operation not permitted"), "device_access_denied");
  EXPECT_EQ(fault_of("the driver is loaded, but /dev/nvidiactl is missing"), "device_files_unusable");
  EXPECT_EQ(fault_of("the driver is loaded (580), but libcuda.so.1 cannot be loaded (no such file)"), "driver_unfit");
  EXPECT_EQ(fault_of("the driver is loaded (580), but no GPU is on the PCI bus"), "missing_gpu");
  EXPECT_EQ(fault_of("the driver is loaded, but 0000:3b:00.0 is bound to vfio-pci"), "driver_not_loaded");
  EXPECT_EQ(fault_of("nvmlInit_v2: Driver Not Loaded"), "driver_not_loaded");
  EXPECT_EQ(fault_of("the driver did not answer within 20 s"), "hang");
  EXPECT_EQ(fault_of("CUDA does not start: the worker that asked it ended by signal 11"), "crash");
  EXPECT_EQ(fault_of("cannot be used: this binary was built without a CUDA toolkit"), "cuda_does_not_start");
  for (const char* const half : {"the driver is loaded (580)", "nvmlInit_v2: Unknown Error", "Driver Not Loaded",
                                 "no GPU is on the PCI bus", "version mismatch", "is bound to vfio-pci"}) {
    EXPECT_EQ(fault_of(half), "nothing") << half;
  }
}

TEST(StartFault, WorkThatFailsOnADeviceIsNone) {
  EXPECT_EQ(fault_of_code(719, "synchronizing the stream"), "nothing");
  EXPECT_EQ(fault_of_code(46, "copying"), "nothing");
  EXPECT_EQ(fault_of("the worker gave an answer to something else"), "nothing");
}

/// A driver that is whole but for what each test takes away.
telemetry::DriverState whole() {
  telemetry::DriverState state;
  state.host.pci_gpus = {{"0000:3b:00.0", "nvidia"}};
  state.host.kernel_module_version = "580.159.04";
  state.host.device_files = {{"/dev/nvidiactl", ""}, {"/dev/nvidia-uvm", ""}};
  state.host.libraries = {{"libcuda.so.1", ""}, {"libnvidia-ml.so.1", ""}};
  state.has_module = true;
  state.signs = {"0000:3b:00.0 on the PCI bus"};
  return state;
}

std::string_view fault_of(const telemetry::DriverState& state) {
  return fault_of("device 0 cannot be used: " + telemetry::missing_part(state));
}

TEST(StartFault, NamesThePartOfTheDriverThatIsMissing) {
  EXPECT_EQ(telemetry::missing_part(whole()), "");
  telemetry::DriverState state = whole();
  state.host.kernel_module_version.clear();
  EXPECT_EQ(fault_of(state), "driver_not_loaded");
  state.host.pci_gpus.front().driver = "nouveau";
  EXPECT_EQ(fault_of(state), "driver_not_loaded");
  state = whole();
  state.host.pci_gpus.front().driver = "vfio-pci";
  EXPECT_EQ(fault_of(state), "driver_not_loaded");
  state = whole();
  state.host.device_files.front().problem = "Operation not permitted";
  EXPECT_EQ(fault_of(state), "device_access_denied");
  state.host.device_files.front().problem = "Permission denied";
  EXPECT_EQ(fault_of(state), "device_files_unusable");
  state.host.device_files.front().problem = "No such file or directory";
  EXPECT_EQ(fault_of(state), "device_files_unusable");
  state = whole();
  state.host.libraries.front().problem = "not found";
  EXPECT_EQ(fault_of(state), "driver_unfit");
  state = whole();
  state.host.pci_gpus.clear();
  EXPECT_EQ(fault_of(state), "missing_gpu");
}

}  // namespace
}  // namespace gpucheck::runner
