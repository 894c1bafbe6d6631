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

struct DataSheet {
  DeviceIdentity device;
  const char* name;
  double value;  ///< TFLOP/s or TOP/s, dense; of products, summed in 32 bits
};

/// Data sheets of the V100 SXM2, the GeForce RTX 2080 Ti, the RTX 3090, the H100 SXM, the B200 and the RTX 5090, each
/// at its boost clock.
TEST(BestValue, ComesToTheDataSheetOfEachCapability) {
  const DeviceIdentity v100 = card(80, 1'530'000, 7, 0);
  const DeviceIdentity turing = card(68, 1'545'000, 7, 5);
  const DeviceIdentity a100 = card(108, 1'410'000, 8, 0);
  const DeviceIdentity ampere = card(82, 1'695'000, 8, 6);
  const DeviceIdentity ada = card(128, 2'520'000, 8, 9);
  const DeviceIdentity h100 = card(132, 1'980'000, 9, 0);
  const DeviceIdentity b200 = card(148, 1'856'000, 10, 0);
  const DeviceIdentity blackwell = card(170, 2'407'000, 12, 0);
  for (const DataSheet& sheet : std::vector<DataSheet>{
           {v100, "fp64_tflops", 7.8},        {v100, "fp32_tflops", 15.7},       {v100, "fp16_tflops", 125},
           {v100, "int8_tops", 62.7},         {turing, "fp64_tflops", 0.42},     {turing, "fp32_tflops", 13.4},
           {turing, "fp16_tflops", 53.8},     {turing, "int8_tops", 215.2},      {a100, "fp32_tflops", 19.5},
           {ampere, "fp64_tflops", 0.556},    {ampere, "fp32_tflops", 35.6},     {ampere, "tf32_tflops", 35.6},
           {ampere, "fp16_tflops", 71},       {ampere, "int8_tops", 284},        {ada, "fp64_tflops", 1.29},
           {ada, "fp32_tflops", 82.6},        {ada, "tf32_tflops", 82.6},        {ada, "fp8_tflops", 330.3},
           {h100, "fp32_tflops", 66.9},       {h100, "tf32_tflops", 535.3},      {h100, "int8_tops", 2141},
           {b200, "fp16_tflops", 2250},       {b200, "bf16_tflops", 2250},       {b200, "fp8_tflops", 4500},
           {b200, "tf32_tflops", 1125},       {b200, "int8_tops", 4500},         {b200, "fp64_tflops", 35.2},
           {b200, "fp32_tflops", 70.3},       {blackwell, "fp32_tflops", 104.8}, {blackwell, "tf32_tflops", 104.8},
           {blackwell, "fp16_tflops", 209.5}, {blackwell, "fp8_tflops", 419},    {blackwell, "int8_tops", 838},
           {blackwell, "fp64_tflops", 1.64}}) {
    const auto best = best_value(sheet.name, sheet.device);
    ASSERT_TRUE(best) << sheet.name;
    EXPECT_NEAR(best->value, sheet.value, 0.01 * sheet.value)
        << sheet.name << " of " << sheet.device.compute_capability_major << "."
        << sheet.device.compute_capability_minor;
  }
  for (const DeviceIdentity& without : {v100, turing}) {
    EXPECT_EQ(best_value("tf32_tflops", without), std::nullopt);
    EXPECT_EQ(best_value("fp8_tflops", without), std::nullopt);
  }
  EXPECT_EQ(best_value("fp8_tflops", ampere), std::nullopt);
}

/// The B300 has given units for 64 bits and whole numbers up for others.
TEST(BestValue, OfAMinorCapabilityOfItsOwnIsItsOwn) {
  const DeviceIdentity b300 = card(148, 1'000'000, 10, 3);
  EXPECT_NEAR(best_value("fp64_tflops", b300)->value, 148 * 4 / 1e3, 1e-9);
  EXPECT_NEAR(best_value("fp32_tflops", b300)->value, 148 * 256 / 1e3, 1e-9);
  EXPECT_NEAR(best_value("tf32_tflops", b300)->value, 148 * 4096 / 1e3, 1e-9);
  EXPECT_NEAR(best_value("fp16_tflops", b300)->value, 148 * 8192 / 1e3, 1e-9);
  EXPECT_NEAR(best_value("fp8_tflops", b300)->value, 148 * 16384 / 1e3, 1e-9);
  EXPECT_NEAR(best_value("int8_tops", b300)->value, 148 * 512 / 1e3, 1e-9);
  EXPECT_EQ(best_value("int8_tops", b300)->explanation, "148 multiprocessors x 1000 MHz x 512 operations");
  const DeviceIdentity between = card(148, 1'000'000, 10, 1);
  EXPECT_NEAR(best_value("fp64_tflops", between)->value, 148 * 128 / 1e3, 1e-9) << "10.0 is the newest before it";
}

/// One way, 16 lanes: 4, 8, 15.75, 31.5, 63 and 121 GB/s.
TEST(BestValue, OfTheHostLinkIsOfItsGenerationAndLanes) {
  const auto gbps = [](int generation, int lanes) {
    DeviceIdentity device;
    device.host_link_generation = generation;
    device.host_link_lanes = lanes;
    const auto best = best_value("host_link_gbps", device);
    return best ? best->value : 0;
  };
  int generation = 0;
  for (const double expected : {4.0, 8.0, 15.75, 31.5, 63.0, 121.0}) {
    ++generation;
    EXPECT_NEAR(gbps(generation, 16), expected, 0.02) << generation;
    EXPECT_NEAR(gbps(generation, 1), expected / 16, 0.02) << generation;
  }
  EXPECT_EQ(gbps(0, 16), 0);
  EXPECT_EQ(gbps(7, 16), 0) << "a generation that nobody knows";
  EXPECT_EQ(gbps(5, 0), 0);
}

TEST(BestValue, OfPeerLinksNeedsLinksAndTheirSpeed) {
  DeviceIdentity device;
  device.peer_links = 1;
  device.peer_link_mbps = 1;
  EXPECT_NEAR(best_value("peer_link_gbps", device)->value, 0.001, 1e-12);
  device.peer_link_mbps = 0;
  EXPECT_EQ(best_value("peer_link_gbps", device), std::nullopt);
}

TEST(BestValue, HasANameThatIsKnown) {
  EXPECT_EQ(best_value_names(),
            "memory_bandwidth_gbps, host_link_gbps, host_link_both_ways_gbps, peer_link_gbps, fp64_tflops, "
            "fp32_tflops, tf32_tflops, fp16_tflops, bf16_tflops, fp8_tflops, int8_tops");
  EXPECT_TRUE(is_best_value("int8_tops"));
  EXPECT_FALSE(is_best_value("int8_tflops"));
  EXPECT_FALSE(is_best_value(""));
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
