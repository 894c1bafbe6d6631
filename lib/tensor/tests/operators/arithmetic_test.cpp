#include "tensor/operators/arithmetic/arithmetic.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "runtime/tests/error_of.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "values.hpp"

namespace gpucheck::tensor::test {
namespace {

using runtime::test::error_of;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

TEST(Sub, TakesAwayWhatAlphaSays) {
  const Tensor a = vector_of({10, 20});
  EXPECT_EQ(text_of(sub(a, vector_of({1, 2}))), "float32 [9, 18]");
  EXPECT_EQ(text_of(sub(a, vector_of({1, 2}), 3)), "float32 [7, 14]");
  EXPECT_EQ(text_of(sub(a, 4, 2)), "float32 [2, 12]");
  EXPECT_EQ(text_of(rsub(a, 4)), "float32 [-6, -16]");
  EXPECT_EQ(text_of(rsub(a, vector_of({1, 2}), 2)), "float32 [-19, -38]");
  EXPECT_EQ(text_of(sub(vector_of({Complex(1, 2)}, DType::complex64), 1, Complex(0, 1))), "complex64 [1+1j]");
}

TEST(Sub, OfZerosHasTheSignThatTheStandardSays) {
  EXPECT_EQ(text_of(sub(vector_of({0.0, -0.0, -0.0}), vector_of({0.0, 0.0, -0.0}))), "float32 [0, -0, 0]");
  EXPECT_EQ(text_of(sub(vector_of({infinite}), infinite)), "float32 [nan]");
}

TEST(Sub, RefusesBooleans) {
  const Tensor truth = vector_of({true}, DType::boolean);
  const Tensor number = vector_of({1});
  const std::string two =
      "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
      "instead.";
  const std::string one =
      "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
      "`~` or `logical_not()` operator instead.";
  EXPECT_EQ(error_of([&] { static_cast<void>(sub(truth, truth)); }), two);
  EXPECT_EQ(error_of([&] { static_cast<void>(sub(truth, number)); }), one);
  EXPECT_EQ(error_of([&] { static_cast<void>(sub(number, truth)); }), one);
  EXPECT_EQ(error_of([&] { static_cast<void>(sub(truth, true)); }), two);
  EXPECT_EQ(error_of([&] { static_cast<void>(sub(number, true)); }), one);
  EXPECT_EQ(error_of([&] { static_cast<void>(rsub(truth, 1)); }), one);
}

TEST(WholeNumbers, WrapAround) {
  const Tensor ends = vector_of({lowest, highest}, DType::int64);
  EXPECT_EQ(text_of(add(ends, vector_of({-1, 1}, DType::int64))), "int64 [9223372036854775807, -9223372036854775808]");
  EXPECT_EQ(text_of(sub(ends, vector_of({1, -1}, DType::int64))), "int64 [9223372036854775807, -9223372036854775808]");
  EXPECT_EQ(text_of(mul(ends, 2)), "int64 [0, -2]");
  EXPECT_EQ(text_of(neg(ends)), "int64 [-9223372036854775808, -9223372036854775807]");
  EXPECT_EQ(text_of(mul(vector_of({16, 100}, DType::uint8), 16)), "uint8 [0, 64]");
  EXPECT_EQ(text_of(sub(vector_of({0}, DType::uint8), 1)), "uint8 [255]");
  EXPECT_EQ(text_of(neg(vector_of({-128, 5}, DType::int8))), "int8 [-128, -5]");
}

TEST(Mul, OfComplexNumbersAndBooleans) {
  EXPECT_EQ(text_of(mul(vector_of({Complex(1, 2)}, DType::complex64), vector_of({Complex(3, -1)}, DType::complex64))),
            "complex64 [5+5j]");
  EXPECT_EQ(text_of(mul(vector_of({1, 2}, DType::float64), Complex(0, 1))), "complex128 [0+1j, 0+2j]");
  const Tensor truths = vector_of({true, true, false}, DType::boolean);
  EXPECT_EQ(text_of(mul(truths, vector_of({true, false, false}, DType::boolean))), "bool [true, false, false]");
  EXPECT_EQ(text_of(mul(truths, 3)), "int64 [3, 3, 0]");
}

TEST(Mul, OfHalvesIsRoundedOnce) {
  // 2049 lies between the halves 2048 and 2050; a third as a float is not the nearest half.
  EXPECT_EQ(text_of(mul(vector_of({683}, DType::float16), 3)), "float16 [2048]");
  EXPECT_EQ(text_of(mul(vector_of({3}, DType::float16), 1.0 / 3)), "float16 [1]");
  EXPECT_EQ(text_of(mul(vector_of({60000}, DType::float16), 2)), "float16 [inf]");
}

TEST(Div, OfWholeNumbersIsFloating) {
  const Tensor whole = vector_of({7, -7, 0}, DType::int32);
  EXPECT_EQ(text_of(div(whole, 2)), "float32 [3.5, -3.5, 0]");
  EXPECT_EQ(text_of(div(whole, vector_of({0, 0, 0}, DType::int32))), "float32 [inf, -inf, nan]");
  EXPECT_EQ(text_of(div(vector_of({true}, DType::boolean), vector_of({true}, DType::boolean))), "float32 [1]");
  EXPECT_EQ(error_of([&] { static_cast<void>(div_(whole, 2)); }),
            "result type Float can't be cast to the desired output type Int");
}

TEST(Div, OfComplexNumbersDoesNotOverflow) {
  const Tensor large = vector_of({Complex(0x1p100, 0x1p100)}, DType::complex64);
  EXPECT_EQ(text_of(div(large, large)), "complex64 [1+0j]");
  EXPECT_EQ(text_of(div(vector_of({Complex(1, 2)}, DType::complex128), Complex(0, 1))), "complex128 [2-1j]");
  EXPECT_EQ(text_of(div(vector_of({Complex(2, 2)}, DType::complex128), Complex(1, -1))), "complex128 [0+2j]");
  EXPECT_EQ(text_of(div(vector_of({Complex(1, -1)}, DType::complex64), 0)), "complex64 [inf-infj]");
}

TEST(Neg, ChangesTheSignOfAll) {
  EXPECT_EQ(text_of(neg(vector_of({0.0, -0.0, infinite, not_a_number, 1.5}))), "float32 [-0, 0, -inf, nan, -1.5]");
  EXPECT_EQ(text_of(neg(vector_of({Complex(0, 2)}, DType::complex64))), "complex64 [-0-2j]");
  EXPECT_EQ(text_of(neg(vector_of({3}, DType::uint8))), "uint8 [253]");
  EXPECT_EQ(
      error_of([] { static_cast<void>(neg(vector_of({true}, DType::boolean))); }),
      "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the "
      "`~` or `logical_not()` operator instead.");
}

TEST(InPlace, OfAnotherShapeIsRefusedBeforeAnotherType) {
  const Tensor one = ones({1, 3}, DType::int32);
  EXPECT_EQ(error_of([&] {
              static_cast<void>(div_(one, ones({2, 3}, DType::int32)));
            }),
            "output with shape [1, 3] doesn't match the broadcast shape [2, 3]");
}

}  // namespace
}  // namespace gpucheck::tensor::test
