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

TEST(Logical, TakesAllButZeroForTrue) {
  const Tensor a = vector_of({0.0, -0.0, 2, not_a_number});
  const Tensor b = vector_of({1, 0, 3, 0}, DType::int32);
  EXPECT_EQ(text_of(logical_and(a, b)), "bool [false, false, true, false]");
  EXPECT_EQ(text_of(logical_or(a, b)), "bool [true, false, true, true]");
  EXPECT_EQ(text_of(logical_xor(a, b)), "bool [true, false, false, true]");
  EXPECT_EQ(text_of(logical_not(a)), "bool [true, true, false, false]");
  EXPECT_EQ(text_of(logical_not(vector_of({Complex(0, 1), Complex(0, 0)}, DType::complex64))), "bool [false, true]");
}

TEST(Logical, IsStoredInAnyType) {
  const Tensor out = empty({2}, DType::float16);
  EXPECT_EQ(text_of(logical_xor_out(vector_of({1, 0.0}), vector_of({2, 5}), out)), "float16 [0, 1]");
  EXPECT_EQ(text_of(logical_not_(vector_of({0, 7}, DType::uint8))), "uint8 [1, 0]");
}

TEST(Kinds, OfNumbers) {
  const Tensor a = vector_of({1, not_a_number, infinite, -infinite}, DType::float16);
  EXPECT_EQ(text_of(isnan(a)), "bool [false, true, false, false]");
  EXPECT_EQ(text_of(isinf(a)), "bool [false, false, true, true]");
  EXPECT_EQ(text_of(isfinite(a)), "bool [true, false, false, false]");
  const Tensor whole = vector_of({1, 0}, DType::int64);
  EXPECT_EQ(text_of(isnan(whole)), "bool [false, false]");
  EXPECT_EQ(text_of(isinf(whole)), "bool [false, false]");
  EXPECT_EQ(text_of(isfinite(whole)), "bool [true, true]");
}

TEST(Kinds, OfComplexNumbersAreThoseOfTheirParts) {
  const Tensor a =
      vector_of({Complex(1, not_a_number), Complex(not_a_number, infinite), Complex(1, 2)}, DType::complex64);
  EXPECT_EQ(text_of(isnan(a)), "bool [true, true, false]");
  EXPECT_EQ(text_of(isinf(a)), "bool [false, true, false]");
  EXPECT_EQ(text_of(isfinite(a)), "bool [false, false, true]");
}

TEST(Equal, OfSizesAndElements) {
  const Tensor a = vector_of({1, 2});
  EXPECT_TRUE(equal(a, vector_of({1, 2})));
  EXPECT_FALSE(equal(a, vector_of({1, 3})));
  EXPECT_FALSE(equal(a, vector_of({1})));
  EXPECT_FALSE(equal(full({2, 2}, 1), full({2}, 1)));
  EXPECT_FALSE(equal(vector_of({not_a_number}), vector_of({not_a_number})));
  EXPECT_TRUE(equal(empty({0, 3}), empty({0, 3})));
  EXPECT_TRUE(equal(full({}, 5), full({}, 5)));
  EXPECT_EQ(error_of([&] {
              static_cast<void>(equal(a, vector_of({1, 2}, DType::float64)));
            }),
            "Expected object of data type float but got data type double for argument 'other' in call to equal");
}

}  // namespace
}  // namespace gpucheck::tensor::test
