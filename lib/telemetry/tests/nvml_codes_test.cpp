#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string_view>

#include "fake_nvml_test.hpp"
#include "telemetry/source.hpp"

/// That no code with which a function of NVML fails becomes a reading.
namespace gpucheck::telemetry {
namespace {

using NvmlCodesTest = FakeNvmlTest;

/// Every function that a GPU is asked by, and has one form alone.
constexpr std::array asked_functions{"nvmlDeviceGetName",
                                     "nvmlDeviceGetUUID",
                                     "nvmlDeviceGetSerial",
                                     "nvmlDeviceGetVbiosVersion",
                                     "nvmlDeviceGetPciInfo_v3",
                                     "nvmlDeviceGetPersistenceMode",
                                     "nvmlDeviceGetComputeMode",
                                     "nvmlDeviceGetMigMode",
                                     "nvmlDeviceGetEccMode",
                                     "nvmlDeviceGetTemperature",
                                     "nvmlDeviceGetTemperatureThreshold",
                                     "nvmlDeviceGetPowerUsage",
                                     "nvmlDeviceGetEnforcedPowerLimit",
                                     "nvmlDeviceGetPowerManagementDefaultLimit",
                                     "nvmlDeviceGetPowerManagementLimitConstraints",
                                     "nvmlDeviceGetClockInfo",
                                     "nvmlDeviceGetMaxClockInfo",
                                     "nvmlDeviceGetCurrentClocksThrottleReasons",
                                     "nvmlDeviceGetFieldValues",
                                     "nvmlDeviceGetMemoryInfo_v2",
                                     "nvmlDeviceGetUtilizationRates",
                                     "nvmlDeviceGetTotalEccErrors",
                                     "nvmlDeviceGetMemoryErrorCounter",
                                     "nvmlDeviceGetRemappedRows",
                                     "nvmlDeviceGetRowRemapperHistogram",
                                     "nvmlDeviceGetCurrPcieLinkGeneration",
                                     "nvmlDeviceGetCurrPcieLinkWidth",
                                     "nvmlDeviceGetMaxPcieLinkGeneration",
                                     "nvmlDeviceGetMaxPcieLinkWidth",
                                     "nvmlDeviceGetGpuMaxPcieLinkGeneration",
                                     "nvmlDeviceGetPcieReplayCounter",
                                     "nvmlDeviceGetGpuFabricInfoV",
                                     "nvmlDeviceGetSramEccErrorStatus",
                                     "nvmlDeviceGetMarginTemperature",
                                     "nvmlDeviceValidateInforom",
                                     "nvmlDeviceGetGraphicsRunningProcesses_v3",
                                     "nvmlDeviceGetNvLinkState",
                                     "nvmlDeviceGetNvLinkErrorCounter",
                                     "nvmlDeviceGetComputeRunningProcesses_v3"};

/// How many answers differ from the usual ones. Each that does must say why there is none.
int count_missing(const Gpu& usual, const Gpu& seen, bool as_failure) {
  int missing = 0;
  const auto look = [&](const Value& was, const Value& is, std::string_view key) {
    if (is == was) return;
    ++missing;
    EXPECT_NE(problem(is), nullptr) << key << " is another value";
    EXPECT_EQ(is_failure(is), as_failure) << key;
  };
  for (std::size_t i = 0; i < reading_count; ++i)
    look(usual.values[i], seen.values[i], info_of(static_cast<Reading>(i)).key);
  for (std::size_t link = 0; link < std::min(usual.links.size(), seen.links.size()); ++link) {
    for (std::size_t i = 0; i < link_reading_count; ++i)
      look(usual.links[link].values[i], seen.links[link].values[i], info_of(static_cast<LinkReading>(i)).key);
  }
  if (seen.links.size() != usual.links.size()) {
    ++missing;
    EXPECT_EQ(seen.links_failed, as_failure);
  }
  if (seen.processes != usual.processes) {
    ++missing;
    EXPECT_EQ(seen.processes_failed, as_failure);
  }
  return missing;
}

/// NVML_ERROR_TIMEOUT, _GPU_IS_LOST, _UNKNOWN are failures; NOT_SUPPORTED and NO_PERMISSION are not.
TEST_F(NvmlCodesTest, NoCodeOfAnyFunctionIsTakenForAnAnswer) {
  const Gpu usual = read_gpu();
  for (const char* function : asked_functions) {
    for (const int code : {10, 15, 999, 4}) {
      SCOPED_TRACE(fmt::format("{} answers {}", function, code));
      answer(function, code);
      EXPECT_GT(count_missing(usual, read_gpu(), code != 4), 0);
      answer(function, 0);
    }
    // What has an older form is asked by that: another answer is right then.
    const std::string_view name = function;
    if (name == "nvmlDeviceGetMemoryInfo_v2" || name == "nvmlDeviceGetGpuFabricInfoV") continue;
    answer(function, 3);
    EXPECT_GT(count_missing(usual, read_gpu(), false), 0) << function;
    answer(function, 0);
  }
}

}  // namespace
}  // namespace gpucheck::telemetry
