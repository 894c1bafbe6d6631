#include "base/splitmix.hpp"

#include <gtest/gtest.h>

namespace gpucheck {
namespace {

// The first outputs of SplitMix64 from state 0, as its authors' reference program gives them.
TEST(Splitmix, GivesTheReferenceSequence) {
  constexpr std::uint64_t step = 0x9E3779B97F4A7C15U;
  EXPECT_EQ(splitmix(0), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(splitmix(step), 0x6E789E6AA1B965F4U);
  EXPECT_EQ(splitmix(step * 2), 0x06C45D188009454FU);
}

}  // namespace
}  // namespace gpucheck
