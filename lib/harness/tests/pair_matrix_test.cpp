#include "harness/result/pair_matrix.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace gpucheck::harness {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

CaseResult on_devices(std::vector<int> devices, Observations observations) {
  CaseResult result;
  result.devices = std::move(devices);
  result.observations = std::move(observations);
  return result;
}

TEST(PairMatrices, AreWhatHasAValueForEachTwoDevices) {
  const CaseResult result = on_devices({2, 5}, {{"copy_gbps_of_pairs", std::vector<double>{none, 1, 2, none}},
                                                {"copy_gbps", 1.0},
                                                {"read_gbps_of_pairs", std::vector<double>{none, 3, 4, none}}});
  const std::vector<PairMatrix> matrices = pair_matrices(result);
  ASSERT_EQ(matrices.size(), 2U);
  EXPECT_EQ(matrices[0].metric, "copy_gbps");
  EXPECT_EQ(matrices[0].values[1], 1);
  EXPECT_EQ(matrices[0].values[2], 2);
  EXPECT_EQ(matrices[1].metric, "read_gbps");
}

/// Results come from other machines, too.
TEST(PairMatrices, AreNoneOfAnotherSizeKindOrName) {
  for (const std::size_t size : {0U, 1U, 3U, 5U, 9U}) {
    EXPECT_TRUE(pair_matrices(on_devices({0, 1}, {{"x_of_pairs", std::vector<double>(size)}})).empty()) << size;
  }
  EXPECT_TRUE(pair_matrices(on_devices({0, 1}, {{"x_of_pairs", std::vector<std::int64_t>(4)}})).empty());
  EXPECT_TRUE(pair_matrices(on_devices({0, 1}, {{"x_of_pair", std::vector<double>(4)}})).empty());
  EXPECT_TRUE(pair_matrices(on_devices({0}, {{"x_of_pairs", std::vector<double>(1)}})).empty());
  EXPECT_TRUE(pair_matrices(on_devices({}, {{"x_of_pairs", std::vector<double>{}}})).empty());
}

TEST(MedianOfPairs, IsOfWhatWasMeasured) {
  EXPECT_TRUE(std::isnan(median_of_pairs({})));
  EXPECT_TRUE(std::isnan(median_of_pairs(std::vector<double>{none, none})));
  EXPECT_EQ(median_of_pairs(std::vector<double>{none, 7, none}), 7);
  EXPECT_EQ(median_of_pairs(std::vector<double>{3, none, 1}), 3) << "the greater of two";
  EXPECT_EQ(median_of_pairs(std::vector<double>{9, 1, 5}), 5);
}

}  // namespace
}  // namespace gpucheck::harness
