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

TEST(MatrixExtent, OfOneColumnIsItsRows) {
  const MatrixProduct product{.m = 3,
                              .n = 1,
                              .k = 1,
                              .leading_a = 5,
                              .leading_b = 6,
                              .leading_d = 7,
                              .a = ElementType::fp16,
                              .b = ElementType::fp16,
                              .d = ElementType::fp16,
                              .compute = ComputeType::fp32};
  EXPECT_EQ(bytes_of_a(product), 6U);
  EXPECT_EQ(bytes_of_b(product), 2U);
  EXPECT_EQ(bytes_of_d(product), 6U);
}

TEST(MatrixExtent, OfNoRowsOrColumnsIsNothing) {
  for (const std::int64_t none : {0, -1}) {
    MatrixProduct product{.m = none, .n = 2, .k = 2, .leading_a = 2, .leading_b = 2, .leading_d = 2};
    EXPECT_EQ(bytes_of_a(product), 0U) << none;
    EXPECT_EQ(bytes_of_d(product), 0U) << none;
    product = {.m = 2, .n = 2, .k = none, .leading_a = 2, .leading_b = 2, .leading_d = 2};
    EXPECT_EQ(bytes_of_a(product), 0U) << none;
    EXPECT_EQ(bytes_of_b(product), 0U) << none;
  }
}

TEST(MatrixExtent, OfABatchReachesToTheLastMatrix) {
  const MatrixProduct product{.m = 3,
                              .n = 2,
                              .k = 4,
                              .leading_a = 3,
                              .leading_b = 4,
                              .leading_d = 3,
                              .batch = 3,
                              .batch_stride_a = 0,
                              .batch_stride_b = 10,
                              .batch_stride_d = 6};
  EXPECT_EQ(bytes_of_a(product), 4U * 12) << "one for all";
  EXPECT_EQ(bytes_of_b(product), 4U * (2 * 10 + 8));
  EXPECT_EQ(bytes_of_d(product), 4U * 18);
}

TEST(ComputeTypes, HaveNames) {
  EXPECT_EQ(to_text(ComputeType::fp64), "fp64");
  EXPECT_EQ(to_text(ComputeType::fp32), "fp32");
  EXPECT_EQ(to_text(ComputeType::tf32), "tf32");
  EXPECT_EQ(to_text(ComputeType::int32), "int32");
}

}  // namespace
}  // namespace gpucheck::device
