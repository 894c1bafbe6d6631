#include "device/cuda/tests/normal_radius.hpp"

#include <gtest/gtest.h>

namespace gpucheck::cuda::test {
namespace {

// All 2^32: the steps that are left out are needed for none of them.
TEST(NormalRadius, IsThatOfCudasFunctionsForEveryWord) {
  const auto found = words_of_another_radius();
  if (!found) GTEST_SKIP() << "no GPU";
  EXPECT_EQ(*found, 0U);
}

}  // namespace
}  // namespace gpucheck::cuda::test
