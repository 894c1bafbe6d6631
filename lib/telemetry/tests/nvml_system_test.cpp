#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fake_nvml_test.hpp"
#include "telemetry/source.hpp"

/// What the library reports besides the readings of a GPU: versions, and errors as they come.
namespace gpucheck::telemetry {
namespace {

using NvmlSystemTest = FakeNvmlTest;

TEST_F(NvmlSystemTest, TheDriversVersionSaysWhichFieldsHoldTheDurations) {
  const std::vector<std::pair<const char*, std::optional<std::int64_t>>> first_fields{
      {"535.183.01", std::nullopt}, {"570.211.01", std::nullopt},
      {"575.51.02", 251},           {"575.64.05", 251},
      {"580.65.06", 251},           {"580.65.07", 269},
      {"580.82.07", 269},           {"580.159.04", 269},
      {"590.44.01", 269},           {"610.10", 269},
      {"no version", 269},          {"", 269}};
  for (const auto& [version, first] : first_fields) {
    be_of_driver(version);
    const Gpu gpu = read_gpu();
    const auto expected = [field = first](std::int64_t offset) {
      return field ? Value(1000 + *field + offset) : Value(Unavailable{"not supported"});
    };
    EXPECT_EQ(gpu[Reading::clock_event_thermal_software], expected(0)) << version;
    EXPECT_EQ(gpu[Reading::clock_event_thermal_hardware], expected(1)) << version;
    EXPECT_EQ(gpu[Reading::clock_event_power_brake], expected(2)) << version;
    EXPECT_EQ(number(gpu[Reading::clock_event_power_cap]), 1074) << version;
  }
}

TEST_F(NvmlSystemTest, AVersionThatCannotBeReadSaysWhy) {
  using Version = Value Machine::*;
  const std::vector<std::pair<const char*, Version>> versions{
      {"nvmlSystemGetDriverVersion", &Machine::driver_version},
      {"nvmlSystemGetNVMLVersion", &Machine::nvml_version},
      {"nvmlSystemGetCudaDriverVersion_v2", &Machine::cuda_version}};
  for (const auto& [function, version] : versions) {
    const auto reason = [&, name = function](const char* words) { return std::string(name) + ": " + words; };
    const auto read = [&, member = version] { return open_nvml()->read({}).*member; };
    answer(function, 15);
    EXPECT_EQ(read(), Value(Unavailable{.reason = reason("GPU is lost"), .is_failure = true}));
    answer(function, 999);
    EXPECT_TRUE(is_failure(read())) << function;
    answer(function, 3);
    EXPECT_EQ(read(), Value(Unavailable{"not supported"})) << function;
    answer(function, 4);
    EXPECT_EQ(read(), Value(Unavailable{reason("Unknown Error")})) << "no permission: " << function;
    answer(function, 0);
  }
}

TEST_F(NvmlSystemTest, WhatFollowsFromAVersionThatCannotBeReadIsNotKnownEither) {
  answer("nvmlSystemGetDriverVersion", 15);
  const Gpu gpu = read_gpu();
  EXPECT_TRUE(is_failure(gpu[Reading::clock_event_thermal_software]));
  EXPECT_TRUE(is_failure(gpu[Reading::clock_event_power_brake]));
  EXPECT_EQ(number(gpu[Reading::clock_event_power_cap]), 1074) << "which has the same number everywhere";
}

TEST_F(NvmlSystemTest, XidsThatCannotBeReadAreNotNone) {
  const auto source = open_nvml();
  EXPECT_EQ(source->read({}).gpus.at(0).xids_problem, "");
  answer("nvmlEventSetWait_v2", 15);
  const Gpu gpu = source->read({}).gpus.at(0);
  EXPECT_EQ(gpu.xids_problem, "nvmlEventSetWait_v2: GPU is lost");
  EXPECT_TRUE(gpu.xids_failed);
  answer("nvmlEventSetWait_v2", 10);
  answer("nvmlDeviceRegisterEvents", 15);
  EXPECT_TRUE(read_gpu().xids_failed);
  answer("nvmlDeviceRegisterEvents", 3);
  EXPECT_FALSE(read_gpu().xids_failed) << "which is not offered everywhere";
}

TEST_F(NvmlSystemTest, TellsOfXidsSinceItWasOpened) {
  const auto source = open_nvml();
  EXPECT_TRUE(source->read({.subset = Subset::gauges}).gpus.at(0).xids.empty());
  answer("xid", 79);
  EXPECT_THAT(source->read({.subset = Subset::gauges}).gpus.at(0).xids, ::testing::ElementsAre(79));
  EXPECT_THAT(source->read({.subset = Subset::gauges}).gpus.at(0).xids, ::testing::ElementsAre(79));
  answer("nvmlDeviceRegisterEvents", 3);
  EXPECT_EQ(read_gpu().xids_problem, "nvmlDeviceRegisterEvents: Not Supported");
  answer("nvmlEventSetCreate", 3);
  EXPECT_EQ(read_gpu().xids_problem, "nvmlEventSetCreate: Not Supported");
}

}  // namespace
}  // namespace gpucheck::telemetry
