#include "golden/limits/best_values.hpp"

#include <gtest/gtest.h>

#include "golden/limits/tests/h200.hpp"

namespace gpucheck::golden {
namespace {

using harness::DeviceIdentity;

/// Computed by hand from vendors' figures: 2 x 3.201 GHz x 768 bytes; 16 lanes x 32 GT/s x 128/130 / 8.
TEST(BestValue, FollowsFromWhatTheDeviceTells) {
  const DeviceIdentity device = h200();
  EXPECT_NEAR(best_value("memory_bandwidth_gbps", device)->value, 4916.7, 0.1);
  EXPECT_NEAR(best_value("host_link_gbps", device)->value, 63.02, 0.01);
  EXPECT_NEAR(best_value("host_link_both_ways_gbps", device)->value, 126.03, 0.01);
  EXPECT_EQ(best_value("host_link_both_ways_gbps", device)->explanation, "PCI Express 5.0 x16, both ways");
  EXPECT_NEAR(best_value("peer_link_gbps", device)->value, 478.1, 0.1);
  EXPECT_EQ(best_value("peer_link_gbps", device)->explanation, "18 NVLinks x 26.56 GB/s");
  EXPECT_EQ(best_value("memory_bandwidth_gbps", device)->explanation, "2 x 3201 MHz x 6144 bit");
  EXPECT_EQ(best_value("speed", device), std::nullopt);
}

DeviceIdentity card(int multiprocessors, std::uint64_t clock_khz, int major, int minor) {
  DeviceIdentity device;
  device.multiprocessor_count = multiprocessors;
  device.multiprocessor_clock_khz = clock_khz;
  device.compute_capability_major = major;
  device.compute_capability_minor = minor;
  return device;
}

/// The dense TFLOP/s that NVIDIA's data sheets give for cards at their boost clocks.
TEST(BestValue, ComesToTheDataSheetsThroughput) {
  const DeviceIdentity a100 = card(108, 1'410'000, 8, 0);
  EXPECT_NEAR(best_value("fp64_tflops", a100)->value, 19.5, 0.1);
  EXPECT_NEAR(best_value("tf32_tflops", a100)->value, 156, 1);
  EXPECT_NEAR(best_value("fp16_tflops", a100)->value, 312, 1);
  EXPECT_NEAR(best_value("int8_tops", a100)->value, 624, 2);
  EXPECT_EQ(best_value("fp8_tflops", a100), std::nullopt);
  const DeviceIdentity h100 = card(132, 1'830'000, 9, 0);
  EXPECT_NEAR(best_value("bf16_tflops", h100)->value, 989.4, 0.5);
  EXPECT_NEAR(best_value("fp8_tflops", h100)->value, 1979, 1);
  EXPECT_NEAR(best_value("fp64_tflops", card(132, 1'980'000, 9, 0))->value, 66.9, 0.1);
  const DeviceIdentity rtx4090 = card(128, 2'520'000, 8, 9);
  EXPECT_NEAR(best_value("fp16_tflops", rtx4090)->value, 165.2, 0.1);
  EXPECT_NEAR(best_value("int8_tops", rtx4090)->value, 660.6, 0.5);
}

TEST(BestValue, OfAModelThatNobodyKnowsIsThatOfTheNewestBeforeIt) {
  const auto found = best_value("fp16_tflops", card(100, 2'000'000, 11, 5));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->value, 100 * 2000 * 8192 / 1e6, 1e-6);
  EXPECT_NE(found->explanation.find("those of compute capability 10.3"), std::string::npos) << found->explanation;
  EXPECT_EQ(best_value("fp16_tflops", card(100, 2'000'000, 6, 1)), std::nullopt);
}

TEST(BestValue, IsUnknownWhereTheDeviceDoesNotTell) {
  DeviceIdentity silent = h200();
  silent.memory_clock_khz = 0;
  silent.host_link_lanes = 0;
  silent.multiprocessor_clock_khz = 0;
  silent.peer_links = 0;
  for (const char* name : {"memory_bandwidth_gbps", "host_link_gbps", "peer_link_gbps", "fp16_tflops"}) {
    EXPECT_EQ(best_value(name, silent), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace gpucheck::golden
