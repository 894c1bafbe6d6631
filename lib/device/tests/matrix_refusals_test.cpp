#include "device/tests/known_products.hpp"
#include "device/tests/suites.hpp"

// Products that no library does.
namespace gpucheck::device::contract {
namespace {

TEST_P(MatrixProducts, OfSizesThatNoMatrixHasAreRefused) {
  const MatrixProduct right = every_type().front();
  std::vector<MatrixProduct> wrong(10, right);
  wrong[0].m = 0;
  wrong[1].n = -1;
  wrong[2].k = 0;
  wrong[3].leading_a = k - 1;
  wrong[4].leading_b = k - 1;
  wrong[5].leading_d = m - 1;
  wrong[6].batch = 0;
  wrong[7].batch = wrong[8].batch = wrong[9].batch = 2;
  wrong[7].batch_stride_d = m * n - 1;
  wrong[8].batch_stride_d = wrong[9].batch_stride_d = m * n;
  wrong[8].batch_stride_a = -1;
  wrong[9].batch_stride_b = -1;
  for (const MatrixProduct& product : wrong) {
    EXPECT_EQ(status_of(device().choose_algorithm(product, 0)), Status::invalid_value);
    EXPECT_EQ(device().multiply(product, device().choose_algorithm(right, 0).value(), {}, {}), Status::invalid_value);
  }
  EXPECT_EQ(device().last_error(), Status::success);
}

TEST_P(MatrixProducts, OfTypesThatDoNotGoTogetherAreRefused) {
  using enum ElementType;
  MatrixProduct both_e5m2 = product_of(fp8_e5m2, fp8_e5m2, bf16, ComputeType::fp32);
  MatrixProduct not_transposed = product_of(fp8_e4m3, fp8_e4m3, bf16, ComputeType::fp32);
  not_transposed.transpose_a = false;
  MatrixProduct odd = product_of(int8, int8, int32, ComputeType::int32);
  odd.k = k - 8;
  MatrixProduct scaled = product_of(int8, int8, int32, ComputeType::int32);
  scaled.scale = 2;
  MatrixProduct added = product_of(int8, int8, int32, ComputeType::int32);
  added.beta = 1;
  MatrixProduct batch = product_of(fp8_e4m3, fp8_e4m3, bf16, ComputeType::fp32);
  batch.batch = 2;
  batch.batch_stride_d = m * n;
  for (const MatrixProduct& product :
       {both_e5m2, not_transposed, odd, scaled, added, batch, product_of(fp64, fp32, fp64, ComputeType::fp64)}) {
    EXPECT_EQ(status_of(device().choose_algorithm(product, 0)), Status::not_supported) << name_of(product);
    EXPECT_EQ(device().multiply(product, {}, {}, {}), Status::not_supported) << name_of(product);
  }
}

}  // namespace
}  // namespace gpucheck::device::contract
