#include "base/rounding.hpp"

#include <gtest/gtest.h>

namespace gpucheck {
namespace {

TEST(Rounding, RoundsUpToAMultiple) {
  static_assert(round_up(0, 512) == 0);
  EXPECT_EQ(round_up(1, 512), 512U);
  EXPECT_EQ(round_up(512, 512), 512U);
  EXPECT_EQ(round_up(513, 512), 1024U);
  EXPECT_EQ(round_up(10, 3), 12U);
}

TEST(Rounding, CountsThePartsThatCoverAWhole) {
  static_assert(divide_up(0, 4) == 0);
  EXPECT_EQ(divide_up(1, 4), 1U);
  EXPECT_EQ(divide_up(4, 4), 1U);
  EXPECT_EQ(divide_up(5, 4), 2U);
}

}  // namespace
}  // namespace gpucheck
