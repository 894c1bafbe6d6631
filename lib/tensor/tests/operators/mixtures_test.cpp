#include <gtest/gtest.h>

#include "runtime/tests/error_of.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/bits/bits.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/selection/selection.hpp"
#include "values.hpp"

namespace gpucheck::tensor::test {
namespace {

using runtime::test::error_of;

TEST(Lerp, EndsAtTheEnd) {
  const Tensor a = vector_of({0, 10});
  const Tensor b = vector_of({4, 20});
  EXPECT_EQ(text_of(lerp(a, b, 0.25)), "float32 [1, 12.5]");
  EXPECT_EQ(text_of(lerp(a, b, 1)), "float32 [4, 20]");
  EXPECT_EQ(text_of(lerp(a, b, vector_of({-1, 2}))), "float32 [-4, 30]");
  // From the nearer end: 1e8 + 1 (-1e8 + 1) would lose the one.
  EXPECT_EQ(text_of(lerp(vector_of({1e8}), vector_of({1}), 1)), "float32 [1]");
}

TEST(Lerp, RefusesOtherTypes) {
  const Tensor a = vector_of({1});
  const Tensor b = vector_of({1}, DType::float64);
  EXPECT_EQ(error_of([&] { static_cast<void>(lerp(a, b, 0.5)); }),
            "expected dtype float for `end` but got dtype double");
  EXPECT_EQ(error_of([&] { static_cast<void>(lerp(b, b, a)); }),
            "expected dtype double for `weight` but got dtype float");
  const Tensor whole = vector_of({1}, DType::int32);
  EXPECT_EQ(error_of([&] { static_cast<void>(lerp(whole, whole, 0.5)); }), "\"lerp_cuda\" not implemented for 'Int'");
}

TEST(AddTerm, OfProductsAndQuotients) {
  const Tensor a = vector_of({1, 2});
  const Tensor b = vector_of({3, 8});
  const Tensor c = vector_of({2, 4}, DType::float16);
  EXPECT_EQ(text_of(addcmul(a, b, c)), "float32 [7, 34]");
  EXPECT_EQ(text_of(addcmul(a, b, c, -0.5)), "float32 [-2, -14]");
  EXPECT_EQ(text_of(addcdiv(a, b, c, 2)), "float32 [4, 6]");
  EXPECT_EQ(text_of(addcdiv(a, b, vector_of({0, 4}))), "float32 [inf, 4]");
  EXPECT_EQ(
      text_of(addcmul(vector_of({1}, DType::int32), vector_of({2}, DType::int32), vector_of({3}, DType::int32), 4)),
      "int32 [25]");
}

TEST(AddTerm, RefusesWholeQuotientsAndBooleans) {
  const Tensor whole = vector_of({1}, DType::int32);
  EXPECT_TRUE(error_of([&] {
                static_cast<void>(addcdiv(vector_of({1}), whole, whole));
              }).starts_with("Integer division with addcdiv is no longer supported, and in a future  release"));
  const Tensor truth = vector_of({true}, DType::boolean);
  EXPECT_EQ(error_of([&] { static_cast<void>(addcmul(truth, truth, truth)); }),
            "\"addcmul_cuda\" not implemented for 'Bool'");
}

TEST(Where, TakesFromEitherSide) {
  const Tensor condition = vector_of({true, false, true}, DType::boolean);
  const Tensor a = vector_of({1, 2, not_a_number});
  EXPECT_EQ(text_of(where(condition, a, vector_of({not_a_number, -0.0, 6}))), "float32 [1, -0, nan]");
  EXPECT_EQ(text_of(where(condition, a, full({}, 9, DType::float64))), "float32 [1, 9, nan]");
  EXPECT_EQ(text_of(where(vector_of({0, 2, 1}, DType::uint8), vector_of({1, 2, 3}, DType::int8),
                          vector_of({250, 251, 252}, DType::uint8))),
            "int16 [250, 2, 3]");
  EXPECT_EQ(text_of(where(condition, vector_of({Complex(0, 1)}, DType::complex64), vector_of({5}, DType::int64))),
            "complex64 [0+1j, 5+0j, 0+1j]");
}

TEST(Where, OfManyElementsTakesEachFromItsPlace) {
  // More than a whole number of vectors, from their beginning and from the element behind it.
  constexpr std::int64_t count = 37;
  for (const DType dtype : {DType::bfloat16, DType::int32, DType::float64, DType::complex64, DType::int8}) {
    SCOPED_TRACE(to_text(dtype));
    const Tensor condition = zeros({count}, DType::uint8);
    for (std::int64_t i = 0; i < count; i += 3) condition.data_as<std::uint8_t>()[i] = 1;
    const Tensor chosen = where(condition, full({count}, 5, dtype), full({count}, 2, dtype));
    const Tensor expected = add(mul(to(condition, dtype), 3), 2);
    EXPECT_EQ(text_of(chosen), text_of(expected));
    const Geometry rest{{count - 1}, {1}, 1};
    EXPECT_EQ(text_of(where(condition.with_geometry(rest), chosen.with_geometry(rest), full({count - 1}, 2, dtype))),
              text_of(expected.with_geometry(rest)));
  }
}

TEST(Where, RefusesOtherConditions) {
  const Tensor a = vector_of({1});
  EXPECT_EQ(error_of([&] { static_cast<void>(where(a, a, a)); }),
            "where expected condition to be a boolean tensor, but got a tensor with dtype Float");
}

TEST(Bitwise, OfWholeNumbers) {
  const Tensor a = vector_of({0b1100, -1}, DType::int32);
  const Tensor b = vector_of({0b1010, 5}, DType::int32);
  EXPECT_EQ(text_of(bitwise_and(a, b)), "int32 [8, 5]");
  EXPECT_EQ(text_of(bitwise_or(a, b)), "int32 [14, -1]");
  EXPECT_EQ(text_of(bitwise_xor(a, b)), "int32 [6, -6]");
  EXPECT_EQ(text_of(bitwise_and(a, 4)), "int32 [4, 4]");
  EXPECT_EQ(text_of(bitwise_xor(1, a)), "int32 [13, -2]");
  EXPECT_EQ(text_of(bitwise_not(a)), "int32 [-13, 0]");
  EXPECT_EQ(text_of(bitwise_not(vector_of({1}, DType::uint8))), "uint8 [254]");
}

TEST(Bitwise, OfBooleansAndOtherTypes) {
  const Tensor truths = vector_of({true, false}, DType::boolean);
  EXPECT_EQ(text_of(bitwise_not(truths)), "bool [false, true]");
  EXPECT_EQ(text_of(bitwise_xor(truths, true)), "bool [false, true]");
  EXPECT_EQ(text_of(bitwise_or(truths, 4)), "int64 [5, 4]");
  EXPECT_EQ(error_of([] { static_cast<void>(bitwise_not(vector_of({1}))); }),
            "\"bitwise_not_cuda\" not implemented for 'Float'");
  EXPECT_EQ(error_of([&] { static_cast<void>(bitwise_and(truths, 0.5)); }),
            "\"bitwise_and_cuda\" not implemented for 'Float'");
}

}  // namespace
}  // namespace gpucheck::tensor::test
