#include <gtest/gtest.h>

#include "device/libraries/matrix_product.hpp"

// How much memory the matrices of a product take: races and bounds are judged by it.
namespace gpucheck::device {
namespace {

TEST(MatrixExtent, ReachesFromTheFirstElementToTheLastOfTheLastColumn) {
  MatrixProduct product{.m = 3,
                        .n = 2,
                        .k = 4,
                        .leading_a = 5,
                        .leading_b = 6,
                        .leading_d = 7,
                        .a = ElementType::fp32,
                        .b = ElementType::fp32,
                        .d = ElementType::fp32,
                        .compute = ComputeType::fp32};
  EXPECT_EQ(bytes_of_a(product), 4U * (3 * 5 + 3)) << "3 rows, 4 columns";
  EXPECT_EQ(bytes_of_b(product), 4U * (1 * 6 + 4)) << "4 rows, 2 columns";
  EXPECT_EQ(bytes_of_d(product), 4U * (1 * 7 + 3)) << "3 rows, 2 columns";
  product.transpose_a = true;
  EXPECT_EQ(bytes_of_a(product), 4U * (2 * 5 + 4)) << "stored as 4 rows, 3 columns";
  product.n = 0;
  EXPECT_EQ(bytes_of_d(product), 0U);
}

}  // namespace
}  // namespace gpucheck::device
