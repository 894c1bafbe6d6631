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

TEST(Abs, OfComplexNumbersIsReal) {
  const Tensor a = vector_of({Complex(3, -4), Complex(0, 0), Complex(-infinite, 1)}, DType::complex64);
  EXPECT_EQ(text_of(abs(a)), "float32 [5, 0, inf]");
  EXPECT_EQ(text_of(abs(vector_of({Complex(3e300, 4e300)}, DType::complex128))), "float64 [5e+300]");
  EXPECT_EQ(error_of([&] { static_cast<void>(abs_(a)); }), "In-place abs is not supported for complex tensors.");
  const Tensor out = empty({0}, DType::int32);
  EXPECT_EQ(error_of([&] { static_cast<void>(abs_out(a, out)); }),
            "result type Float can't be cast to the desired output type Int");
}

TEST(Abs, OfEachKind) {
  EXPECT_EQ(text_of(abs(vector_of({-0.0, -infinite, not_a_number, -2}))), "float32 [0, inf, nan, 2]");
  EXPECT_EQ(text_of(abs(vector_of({lowest, -3}, DType::int64))), "int64 [-9223372036854775808, 3]");
  EXPECT_EQ(text_of(abs(vector_of({true, false}, DType::boolean))), "bool [true, false]");
}

TEST(Sign, OfEachKind) {
  EXPECT_EQ(text_of(sign(vector_of({-0.0, -infinite, not_a_number, 2}))), "float32 [0, -1, 0, 1]");
  EXPECT_EQ(text_of(sign(vector_of({lowest, 0, 7}, DType::int64))), "int64 [-1, 0, 1]");
  EXPECT_EQ(text_of(sign(vector_of({200}, DType::uint8))), "uint8 [1]");
  EXPECT_EQ(error_of([] { static_cast<void>(sign(vector_of({1}, DType::complex64))); }),
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.");
}

TEST(Roots, OfRealNumbers) {
  const Tensor a = vector_of({4, 0.0, -0.0, -1, infinite, not_a_number});
  EXPECT_EQ(text_of(sqrt(a)), "float32 [2, 0, -0, nan, inf, nan]");
  EXPECT_EQ(text_of(rsqrt(a)), "float32 [0.5, inf, -inf, nan, 0, nan]");
  EXPECT_EQ(text_of(reciprocal(a)), "float32 [0.25, inf, -inf, -1, 0, nan]");
  EXPECT_EQ(text_of(sqrt(vector_of({9}, DType::uint8))), "float32 [3]");
  EXPECT_EQ(text_of(reciprocal(vector_of({true, false}, DType::boolean))), "float32 [1, inf]");
  EXPECT_EQ(error_of([] { static_cast<void>(sqrt_(vector_of({9}, DType::int64))); }),
            "result type Float can't be cast to the desired output type Long");
}

TEST(Roots, OfComplexNumbersHaveARealPartNotBelowZero) {
  const Tensor a =
      vector_of({Complex(3, 4), Complex(3, -4), Complex(-4, 0.0), Complex(-4, -0.0), Complex(0, 0)}, DType::complex128);
  EXPECT_EQ(text_of(sqrt(a)), "complex128 [2+1j, 2-1j, 0+2j, 0-2j, 0+0j]");
  EXPECT_EQ(text_of(reciprocal(vector_of({Complex(0, 2)}, DType::complex64))), "complex64 [0-0.5j]");
  EXPECT_EQ(text_of(rsqrt(vector_of({Complex(0.25, 0)}, DType::complex64))), "complex64 [2+0j]");
}

TEST(Pow, OfWholeNumbers) {
  const Tensor base = vector_of({2, -3, 0, 1}, DType::int32);
  EXPECT_EQ(text_of(pow(base, 2)), "int32 [4, 9, 0, 1]");
  EXPECT_EQ(text_of(pow(base, 3)), "int32 [8, -27, 0, 1]");
  EXPECT_EQ(text_of(pow(base, 0)), "int32 [1, 1, 1, 1]");
  EXPECT_EQ(text_of(pow(base, 0.5)), "float32 [1.4142135, nan, 0, 1]");
  EXPECT_EQ(text_of(pow(2, base)), "int32 [4, 0, 1, 2]");
  EXPECT_EQ(text_of(pow(1, base)), "int32 [1, 1, 1, 1]");
  EXPECT_EQ(error_of([&] { static_cast<void>(pow(base, -1)); }),
            "Integers to negative integer powers are not allowed.");
  EXPECT_EQ(text_of(pow(vector_of({1, -1, -1, 2, 0}, DType::int64), vector_of({-5, -2, -3, -1, -1}, DType::int64))),
            "int64 [1, 1, -1, 0, 0]");
  EXPECT_EQ(text_of(pow(vector_of({3}, DType::uint8), 6)), "uint8 [217]");
}

TEST(Pow, OfFloatingNumbers) {
  const Tensor base = vector_of({4, -2, 0.0, -0.0, infinite, not_a_number}, DType::float64);
  EXPECT_EQ(text_of(pow(base, 2)), "float64 [16, 4, 0, 0, inf, nan]");
  EXPECT_EQ(text_of(pow(base, 0)), "float64 [1, 1, 1, 1, 1, 1]");
  EXPECT_EQ(text_of(pow(base, 0.5)), "float64 [2, nan, 0, -0, inf, nan]");
  EXPECT_EQ(text_of(pow(base, -0.5)), "float64 [0.5, nan, inf, -inf, 0, nan]");
  EXPECT_EQ(text_of(pow(base, -2)), "float64 [0.0625, 0.25, inf, inf, 0, nan]");
  EXPECT_EQ(text_of(pow(base, 1.5)), "float64 [8, nan, 0, 0, inf, nan]");
  EXPECT_EQ(text_of(pow(vector_of({2, 2}), vector_of({10, -1}))), "float32 [1024, 0.5]");
  EXPECT_EQ(text_of(pow(2.0, vector_of({3}, DType::int32))), "float32 [8]");
  EXPECT_EQ(text_of(square(vector_of({-3}, DType::float16))), "float16 [9]");
}

TEST(Pow, CountsOneWriteForASquareInPlace) {
  const Tensor a = vector_of({-3, 2});
  const std::uint64_t version = a.version();
  EXPECT_EQ(text_of(square_(a)), "float32 [9, 4]");
  EXPECT_EQ(a.version(), version + 1);
}

TEST(Pow, OfBooleansAndComplexNumbers) {
  const Tensor truths = vector_of({true, false}, DType::boolean);
  EXPECT_EQ(text_of(pow(truths, 2)), "int64 [1, 0]");
  EXPECT_EQ(text_of(pow(truths, true)), "bool [true, false]");
  EXPECT_EQ(text_of(pow(truths, false)), "bool [true, true]");
  EXPECT_EQ(error_of([&] { static_cast<void>(pow(truths, truths)); }), "\"pow_cuda\" not implemented for 'Bool'");
  EXPECT_EQ(text_of(pow(vector_of({Complex(1, 1), Complex(0, 0)}, DType::complex64), 2)), "complex64 [0+2j, 0+0j]");
  EXPECT_EQ(text_of(pow(vector_of({Complex(0, 0)}, DType::complex64), vector_of({3}))), "complex64 [0+0j]");
}

TEST(Maximum, KeepsNan) {
  const Tensor a = vector_of({1, not_a_number, 5, -infinite});
  const Tensor b = vector_of({2, 1, not_a_number, 0});
  EXPECT_EQ(text_of(maximum(a, b)), "float32 [2, nan, nan, 0]");
  EXPECT_EQ(text_of(minimum(a, b)), "float32 [1, nan, nan, -inf]");
  EXPECT_EQ(text_of(maximum(vector_of({-1}, DType::int8), vector_of({200}, DType::uint8))), "int16 [200]");
  EXPECT_EQ(text_of(minimum(vector_of({true, false}, DType::boolean), vector_of({false, false}, DType::boolean))),
            "bool [false, false]");
  EXPECT_EQ(text_of(maximum(vector_of({100}, DType::uint8), full({}, 300, DType::int64))), "uint8 [100]");
  EXPECT_EQ(error_of([&] { static_cast<void>(minimum(a, vector_of({1}, DType::complex64))); }),
            "minimum not implemented for complex tensors.");
}

TEST(Clamp, TakesTheUpperBoundWhereTheyCross) {
  const Tensor a = vector_of({-2, 0.5, 7, not_a_number});
  EXPECT_EQ(text_of(clamp(a, 0, 1)), "float32 [0, 0.5, 1, nan]");
  EXPECT_EQ(text_of(clamp(a, 3, 1)), "float32 [1, 1, 1, nan]");
  EXPECT_EQ(text_of(clamp(a, std::nullopt, 1)), "float32 [-2, 0.5, 1, nan]");
  EXPECT_EQ(text_of(clamp_min(a, 0)), "float32 [0, 0.5, 7, nan]");
  EXPECT_EQ(text_of(clamp_max(a, vector_of({-3, 1, not_a_number, 0}))), "float32 [-3, 0.5, nan, nan]");
  EXPECT_EQ(text_of(clamp(a, vector_of({0, 1, 2, 3}), vector_of({9, 9, 3, 9}))), "float32 [0, 1, 3, nan]");
}

TEST(Clamp, PromotesAndRefuses) {
  const Tensor whole = vector_of({1, 5}, DType::int32);
  EXPECT_EQ(text_of(clamp(whole, 2, 4)), "int32 [2, 4]");
  EXPECT_EQ(text_of(clamp(whole, 1.5, 4)), "float32 [1.5, 4]");
  EXPECT_EQ(text_of(clamp_min(vector_of({true, false}, DType::boolean), 0)), "int64 [1, 0]");
  EXPECT_EQ(error_of([&] { static_cast<void>(clamp_(whole, 1.5, 4)); }),
            "result type Float can't be cast to the desired output type Int");
  EXPECT_EQ(error_of([&] { static_cast<void>(clamp(whole, std::nullopt, std::nullopt)); }),
            "torch.clamp: At least one of 'min' or 'max' must not be None");
  EXPECT_EQ(error_of([] { static_cast<void>(clamp(vector_of({1}, DType::complex64), 0, 1)); }),
            "clamp is not supported for complex types");
}

}  // namespace
}  // namespace gpucheck::tensor::test
