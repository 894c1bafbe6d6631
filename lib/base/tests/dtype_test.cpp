#include "base/dtype.hpp"

#include <gtest/gtest.h>

namespace gpucheck::test {
namespace {

TEST(DTypeText, IsReadAndWrittenTheSame) {
  for (const DType dtype : all_dtypes) EXPECT_EQ(parse_dtype(to_text(dtype)), dtype);
  for (const char* text : {"", "float", "Float32", "float32 "}) EXPECT_EQ(parse_dtype(text), std::nullopt) << text;
}

TEST(DTypeKind, EveryTypeIsOfOne) {
  for (const DType dtype : all_dtypes) {
    const int kinds = is_integral(dtype, true) + is_floating(dtype) + is_complex(dtype);
    EXPECT_EQ(kinds, 1) << to_text(dtype);
  }
  EXPECT_FALSE(is_integral(DType::boolean));
  EXPECT_TRUE(is_integral(DType::boolean, true));
}

TEST(DTypePromotion, DoesNotDependOnTheOrderNorLoseAnything) {
  for (const DType a : all_dtypes) {
    EXPECT_EQ(promote(a, a), a);
    for (const DType b : all_dtypes) {
      const DType both = promote(a, b);
      EXPECT_EQ(promote(b, a), both) << to_text(a) << " " << to_text(b);
      EXPECT_TRUE(can_cast(a, both)) << to_text(a) << " " << to_text(both);
      EXPECT_EQ(promote(both, a), both) << to_text(a) << " " << to_text(b);
    }
  }
}

TEST(DTypeCast, NeverDropsAKindOfNumber) {
  EXPECT_TRUE(can_cast(DType::float64, DType::float16));
  EXPECT_TRUE(can_cast(DType::int64, DType::uint8));
  EXPECT_FALSE(can_cast(DType::complex64, DType::float64));
  EXPECT_FALSE(can_cast(DType::float16, DType::int64));
  EXPECT_FALSE(can_cast(DType::uint8, DType::boolean));
  EXPECT_TRUE(can_cast(DType::boolean, DType::uint8));
}

}  // namespace
}  // namespace gpucheck::test
