#include "tensor/operators/comparison/comparison.hpp"

#include <gtest/gtest.h>

#include "runtime/tests/error_of.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "values.hpp"

namespace gpucheck::tensor::test {
namespace {

using runtime::test::error_of;

TEST(Comparison, OfEachRelation) {
  const Tensor a = vector_of({1, 2, 3});
  const Tensor b = vector_of({2, 2, 2});
  EXPECT_EQ(text_of(eq(a, b)), "bool [false, true, false]");
  EXPECT_EQ(text_of(ne(a, b)), "bool [true, false, true]");
  EXPECT_EQ(text_of(lt(a, b)), "bool [true, false, false]");
  EXPECT_EQ(text_of(le(a, b)), "bool [true, true, false]");
  EXPECT_EQ(text_of(gt(a, b)), "bool [false, false, true]");
  EXPECT_EQ(text_of(ge(a, b)), "bool [false, true, true]");
  EXPECT_EQ(text_of(ge(a, 2)), "bool [false, true, true]");
}

TEST(Comparison, WithNanIsFalseButForUnequal) {
  const Tensor a = vector_of({not_a_number, not_a_number, 0.0, infinite});
  const Tensor b = vector_of({not_a_number, 1, -0.0, infinite});
  EXPECT_EQ(text_of(eq(a, b)), "bool [false, false, true, true]");
  EXPECT_EQ(text_of(ne(a, b)), "bool [true, true, false, false]");
  EXPECT_EQ(text_of(lt(a, b)), "bool [false, false, false, false]");
  EXPECT_EQ(text_of(ge(a, b)), "bool [false, false, true, true]");
}

TEST(Comparison, OfWholeNumbersIsExact) {
  const std::int64_t large = std::int64_t{1} << 53;
  EXPECT_EQ(text_of(eq(vector_of({large + 1}, DType::int64), large)), "bool [false]");
  EXPECT_EQ(text_of(lt(vector_of({-1}, DType::int8), vector_of({255}, DType::uint8))), "bool [true]");
}

TEST(Comparison, WithANumberIsInTheTensorsType) {
  // 0.1 is not a half or a float; -1 as a byte is 255.
  EXPECT_EQ(text_of(eq(vector_of({0.1}, DType::float16), 0.1)), "bool [true]");
  EXPECT_EQ(text_of(eq(vector_of({0.1}, DType::float32), 0.1)), "bool [true]");
  EXPECT_EQ(text_of(eq(vector_of({255}, DType::uint8), -1)), "bool [true]");
  EXPECT_EQ(text_of(gt(vector_of({1}, DType::int32), 0.5)), "bool [true]");
}

TEST(Comparison, WithATensorOfAWiderTypeWithoutDimensionsIsInTheOthersType) {
  const Tensor wide = full({}, 257, DType::int64);
  EXPECT_EQ(text_of(eq(vector_of({1}, DType::uint8), wide)), "bool [true]");
  EXPECT_EQ(text_of(eq(vector_of({2048}, DType::float16), full({}, 2049, DType::float64))), "bool [true]");
  EXPECT_EQ(text_of(eq(vector_of({2048}, DType::float16), vector_of({2049}, DType::int32))), "bool [true]");
}

TEST(Comparison, OfComplexNumbersIsOfBothParts) {
  const Tensor a = vector_of({Complex(1, 2), Complex(1, 0)}, DType::complex64);
  EXPECT_EQ(text_of(eq(a, 1)), "bool [false, true]");
  EXPECT_EQ(text_of(ne(a, a)), "bool [false, false]");
  EXPECT_EQ(error_of([&] { static_cast<void>(lt(a, a)); }), "\"compare_cuda\" not implemented for 'ComplexFloat'");
}

TEST(Comparison, IsStoredInAnyType) {
  const Tensor a = vector_of({1, 2, 3}, DType::float32);
  EXPECT_EQ(text_of(eq_(a, vector_of({1, 5, 3}))), "float32 [1, 0, 1]");
  const Tensor out = empty({0}, DType::complex64);
  EXPECT_EQ(text_of(lt_out(vector_of({1, 2}, DType::int64), 2, out)), "complex64 [1+0j, 0+0j]");
}

}  // namespace
}  // namespace gpucheck::tensor::test
