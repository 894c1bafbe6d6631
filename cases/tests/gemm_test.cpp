#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cases/shared/gemm_support.hpp"

// That what is called exact is exact: whichever size is asked for.
namespace gpucheck::cases::in_gemm {
namespace {

using device::kernels::KnownProduct;

struct Precision {
  std::string name;
  const ProductType* type;
  int operand_bits;  ///< of the narrower operand
  int product_bits;
};

std::vector<Precision> precisions() {
  return {{"fp64", &types::fp64, 53, 53},       {"fp32", &types::fp32, 24, 24}, {"tf32", &types::tf32, 11, 24},
          {"fp16", &types::fp16, 11, 11},       {"bf16", &types::bf16, 8, 8},   {"fp8_e4m3", &types::fp8_e4m3, 4, 8},
          {"fp8_e5m2", &types::fp8_e5m2, 3, 8}, {"int8", &types::int8, 7, 31}};
}

class KnownProducts : public testing::TestWithParam<std::size_t> {};

TEST_P(KnownProducts, AreExactInEveryTypeAndOrder) {
  const std::size_t size = GetParam();
  for (const auto& [name, type, operand_bits, product_bits] : precisions()) {
    SCOPED_TRACE(name);
    for (const KnownProduct& known : known_products(*type, size)) {
      EXPECT_LE(known.depth, size);
      EXPECT_GE(known.depth, 10U);
      EXPECT_EQ(known.depth % 16, 0U);
      EXPECT_GE(known.magnitude, 1);
      EXPECT_EQ(known.magnitude % 2, 1);
      const double square = std::pow(known.magnitude, 2);
      EXPECT_LE(static_cast<double>(known.depth) * square, std::ldexp(1.0, static_cast<int>(type->sum_bits)));
      EXPECT_LT(known.magnitude, std::ldexp(1.0, operand_bits));
      EXPECT_LE(KnownProduct::classes * square, std::ldexp(1.0, product_bits));
    }
  }
}

// The largest factors are tried, and so are sums over the whole depth, as far as these can be exact.
TEST_P(KnownProducts, GoAsFarAsTheyCan) {
  const std::size_t size = GetParam();
  for (const auto& [name, type, operand_bits, product_bits] : precisions()) {
    SCOPED_TRACE(name);
    const std::vector<KnownProduct> products = known_products(*type, size);
    const double most = std::ldexp(1.0, static_cast<int>(type->sum_bits));
    EXPECT_EQ(static_cast<double>(products.front().depth), std::min(static_cast<double>(size), most));
    EXPECT_EQ(products.back().magnitude, type->magnitude);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, KnownProducts, testing::Values(16U, 64U, 512U, 8192U, 16384U, 65536U),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace gpucheck::cases::in_gemm
