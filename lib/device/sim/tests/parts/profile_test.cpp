#include "device/sim/profile/profile.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace gpucheck::sim {
namespace {

using namespace literals;
using device::ComputeType;
using device::ElementType;

// Compute capability 9.0 in the tables of the CUDA C++ Programming Guide; clocks, bus and link as NVIDIA writes them
// for the SXM cards.
TEST(Profiles, OfHopperAreAsNvidiaDescribesIt) {
  for (const char* name : {"h100", "h200"}) {
    const device::DeviceProperties properties = profile(name).properties;
    EXPECT_EQ(properties.multiprocessor_count, 132);
    EXPECT_EQ(properties.max_threads_per_multiprocessor, 2048);
    EXPECT_EQ(properties.max_threads_per_block, 1024);
    EXPECT_EQ(properties.max_shared_bytes_per_block, 227_KiB);
    EXPECT_EQ(properties.warp_size, 32);
    EXPECT_EQ(properties.compute_capability_major, 9);
    EXPECT_EQ(properties.compute_capability_minor, 0);
    EXPECT_EQ(properties.multiprocessor_clock_khz, 1'980'000U);
    EXPECT_EQ(properties.host_link, (device::HostLink{.generation = 5, .lanes = 16}));
    EXPECT_EQ(properties.greatest_priority, -5);
  }
  // 2 x 2,619 MHz x 640 bytes are the data sheet's 3.35 TB/s, and 2 x 3,201 MHz x 768 bytes its 4.9.
  EXPECT_EQ(profile("h100").properties.memory_clock_khz, 2'619'000U);
  EXPECT_EQ(profile("h100").properties.memory_bus_bits, 5120);
  EXPECT_EQ(profile("h200").properties.memory_clock_khz, 3'201'000U);
  EXPECT_EQ(profile("h200").properties.memory_bus_bits, 6144);
}

TEST(Profiles, HaveTheRateOfAProductsElements) {
  const ProductRates rates{.fp64 = 1, .fp32 = 2, .tf32 = 3, .two_bytes = 4, .one_byte = 5};
  const auto of = [&rates](ElementType a, ComputeType compute) {
    return rates.of({.a = a, .b = a, .compute = compute});
  };
  EXPECT_EQ(of(ElementType::fp64, ComputeType::fp64), 1U);
  EXPECT_EQ(of(ElementType::fp32, ComputeType::fp32), 2U);
  EXPECT_EQ(of(ElementType::fp32, ComputeType::tf32), 3U);
  EXPECT_EQ(of(ElementType::fp16, ComputeType::fp32), 4U);
  EXPECT_EQ(of(ElementType::bf16, ComputeType::fp32), 4U);
  EXPECT_EQ(of(ElementType::fp8_e4m3, ComputeType::fp32), 5U);
  EXPECT_EQ(of(ElementType::fp8_e5m2, ComputeType::fp32), 5U);
  EXPECT_EQ(of(ElementType::int8, ComputeType::int32), 5U);
}

TEST(Profiles, AreListedWhereNoneIsCalledSo) {
  EXPECT_EQ(profile_names(), (std::vector<std::string_view>{"h100", "h200", "small"}));
  try {
    static_cast<void>(profile("h1000"));
    FAIL() << "found";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "there is no simulated device \"h1000\": choose one of h100, h200, small");
  }
}

}  // namespace
}  // namespace gpucheck::sim
