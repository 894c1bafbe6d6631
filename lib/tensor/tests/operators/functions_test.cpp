#include "tensor/operators/functions/functions.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "closeness.hpp"
#include "runtime/tests/error_of.hpp"
#include "tensor/call/entry.hpp"
#include "values.hpp"

namespace gpucheck::tensor::test {
namespace {

using runtime::test::error_of;

/// What is wrong with results that may be off by two units in the last place.
std::string wrong_in(const Tensor& found, std::initializer_list<Scalar> expected) {
  return difference_of(found, vector_of(expected, found.dtype()), {.units = 2, .complex_units = 2});
}

Tensor doubles(std::initializer_list<Scalar> numbers) { return vector_of(numbers, DType::float64); }

TEST(Exponentials, AtKnownPlaces) {
  using std::numbers::e;
  const Tensor a = doubles({0, 1, -1, infinite, -infinite, not_a_number});
  EXPECT_EQ(wrong_in(exp(a), {1, e, 1 / e, infinite, 0, not_a_number}), "");
  EXPECT_EQ(wrong_in(expm1(a), {0, e - 1, 1 / e - 1, infinite, -1, not_a_number}), "");
  EXPECT_EQ(wrong_in(exp2(a), {1, 2, 0.5, infinite, 0, not_a_number}), "");
  // What is lost by adding 1 and taking it away again.
  EXPECT_EQ(wrong_in(expm1(doubles({1e-20, -0.0})), {1e-20, -0.0}), "");
}

TEST(Logarithms, AtKnownPlaces) {
  using std::numbers::ln10;
  using std::numbers::ln2;
  const Tensor a = doubles({1, 2, 10, 0.0, -0.0, -1, infinite});
  EXPECT_EQ(wrong_in(log(a), {0, ln2, ln10, -infinite, -infinite, not_a_number, infinite}), "");
  EXPECT_EQ(wrong_in(log2(a), {0, 1, ln10 / ln2, -infinite, -infinite, not_a_number, infinite}), "");
  EXPECT_EQ(wrong_in(log10(a), {0, ln2 / ln10, 1, -infinite, -infinite, not_a_number, infinite}), "");
  EXPECT_EQ(wrong_in(log1p(doubles({1e-20, 1, -1, -2})), {1e-20, ln2, -infinite, not_a_number}), "");
}

TEST(Angles, AtKnownPlaces) {
  using std::numbers::pi;
  using std::numbers::sqrt2;
  using std::numbers::sqrt3;
  const Tensor a = doubles({-0.0, pi / 6, pi / 4, infinite});
  EXPECT_EQ(wrong_in(sin(a), {-0.0, 0.5, sqrt2 / 2, not_a_number}), "");
  EXPECT_EQ(wrong_in(cos(a), {1, sqrt3 / 2, sqrt2 / 2, not_a_number}), "");
  EXPECT_EQ(wrong_in(tan(a), {-0.0, 1 / sqrt3, 1, not_a_number}), "");
  const Tensor b = doubles({0.5, 1, -1, 1.5});
  EXPECT_EQ(wrong_in(asin(b), {pi / 6, pi / 2, -pi / 2, not_a_number}), "");
  EXPECT_EQ(wrong_in(acos(b), {pi / 3, 0, pi, not_a_number}), "");
  EXPECT_EQ(wrong_in(atan(doubles({1, sqrt3, -infinite})), {pi / 4, pi / 3, -pi / 2}), "");
}

TEST(Angles, OfPointsInAllQuarters) {
  using std::numbers::pi;
  EXPECT_EQ(wrong_in(atan2(doubles({1, 1, -1, -1, 0.0, -0.0}), doubles({1, -1, -1, 1, -1, -1})),
                     {pi / 4, 3 * pi / 4, -3 * pi / 4, -pi / 4, pi, -pi}),
            "");
  EXPECT_EQ(wrong_in(atan2(vector_of({1}, DType::int32), vector_of({0}, DType::int8)), {pi / 2}), "");
}

TEST(Hyperbolas, AtKnownPlaces) {
  const Tensor a = doubles({0, std::numbers::ln2, infinite});
  EXPECT_EQ(wrong_in(sinh(a), {0, 0.75, infinite}), "");
  EXPECT_EQ(wrong_in(cosh(a), {1, 1.25, infinite}), "");
  EXPECT_EQ(wrong_in(tanh(a), {0, 0.6, 1}), "");
  EXPECT_EQ(wrong_in(sigmoid(doubles({0, std::numbers::ln2, -infinite, 1000})), {0.5, 2.0 / 3, 0, 1}), "");
}

// Tables of the error function: Abramowitz and Stegun, "Handbook of Mathematical Functions", table 7.1.
TEST(ErrorFunction, AsTabulated) {
  EXPECT_EQ(wrong_in(erf(vector_of({0.5, 1, 2, -infinite})), {0.5204998778, 0.8427007929, 0.9953222650, -1}), "");
}

TEST(ErrorFunction, IsInvertedNearBothEnds) {
  EXPECT_EQ(text_of(erfinv(vector_of({1, -1, 1.5, 0.0, -0.0}))), "float32 [inf, -inf, nan, 0, -0]");
  const Tensor a = doubles({1e-300, 1e-9, 0.3, 0.5, -0.7, 0.999, -0.999999, 1 - 0x1p-50});
  EXPECT_EQ(difference_of(erf(erfinv(a)), a, {.units = 3}), "");
  // Where the function itself hardly rises, what is missing to 1 says more: it moves by twice the square of the number.
  const Tensor high = erfinv(doubles({1 - 0x1p-50}));
  EXPECT_NEAR(std::erfc(high.data_as<double>()[0]) / 0x1p-50, 1, 200 * 0x1p-52);
  const Tensor floats = vector_of({1e-30, 0.1, -0.5, 0.9, 0.99999});
  EXPECT_EQ(difference_of(erf(erfinv(floats)), floats, {.units = 2}), "");
}

TEST(Rounding, OfHalvesGoesToTheEvenNumber) {
  const Tensor a = vector_of({0.5, 1.5, 2.5, -0.5, -1.5, -2.7, not_a_number, infinite});
  EXPECT_EQ(text_of(round(a)), "float32 [0, 2, 2, -0, -2, -3, nan, inf]");
  EXPECT_EQ(text_of(floor(a)), "float32 [0, 1, 2, -1, -2, -3, nan, inf]");
  EXPECT_EQ(text_of(ceil(a)), "float32 [1, 2, 3, -0, -1, -2, nan, inf]");
  EXPECT_EQ(text_of(trunc(a)), "float32 [0, 1, 2, -0, -1, -2, nan, inf]");
}

TEST(Rounding, LeavesWholeNumbersAndRefusesOthers) {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  EXPECT_EQ(text_of(floor(vector_of({large}, DType::int64))), "int64 [1152921504606846977]");
  EXPECT_EQ(text_of(round_(vector_of({200}, DType::uint8))), "uint8 [200]");
  EXPECT_EQ(error_of([] { static_cast<void>(floor(vector_of({true}, DType::boolean))); }),
            "\"floor_cuda\" not implemented for 'Bool'");
  EXPECT_EQ(error_of([] { static_cast<void>(ceil(vector_of({1}, DType::complex64))); }),
            "ceil is not supported for complex inputs");
  EXPECT_EQ(error_of([] { static_cast<void>(round(vector_of({1}, DType::complex64))); }),
            "\"round_cuda\" not implemented for 'ComplexFloat'");
}

TEST(Functions, OfWholeNumbersAreFloating) {
  EXPECT_EQ(text_of(exp(vector_of({0}, DType::int64))), "float32 [1]");
  EXPECT_EQ(text_of(log2(vector_of({8}, DType::uint8))), "float32 [3]");
  EXPECT_EQ(text_of(cos(vector_of({false}, DType::boolean))), "float32 [1]");
  EXPECT_EQ(text_of(exp2(vector_of({3}, DType::float16))), "float16 [8]");
  EXPECT_EQ(error_of([] { static_cast<void>(exp_(vector_of({1}, DType::int32))); }),
            "result type Float can't be cast to the desired output type Int");
}

// PyTorch's lists of what autocast does, as torch/testing/_internal/autocast_test_lists.py has them.
TEST(Functions, AreTreatedByAutocastAsPyTorchDoes) {
  const auto policy_of = [](const std::string& name) { return find_operator("aten::" + name)->traits.autocast; };
  for (const std::string name :
       {"acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt",
        "sinh", "tan", "pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar", "softplus"}) {
    EXPECT_EQ(policy_of(name), AutocastPolicy::float32) << name;
  }
  for (const std::string name : {"addcdiv", "addcmul", "atan2"}) {
    EXPECT_EQ(policy_of(name), AutocastPolicy::promote) << name;
  }
  EXPECT_EQ(policy_of("prelu"), AutocastPolicy::lower_precision);
  // It leaves forms that write alone, and these functional ones.
  for (const std::string name : {"exp_", "exp.out", "pow_.Scalar", "addcmul_", "sqrt", "sin", "atan", "tanh", "gelu",
                                 "mul.Tensor", "maximum", "eq.Tensor", "lerp.Tensor"}) {
    EXPECT_EQ(policy_of(name), AutocastPolicy::none) << name;
  }
}

TEST(Functions, OfComplexNumbers) {
  using std::numbers::pi;
  const Tensor a = vector_of({Complex(0, pi / 2), Complex(1, 0)}, DType::complex128);
  EXPECT_EQ(wrong_in(exp(a), {Complex(0, 1), Complex(std::numbers::e, 0)}), "");
  EXPECT_EQ(wrong_in(log(vector_of({Complex(0, 1), Complex(-1, -0.0)}, DType::complex128)),
                     {Complex(0, pi / 2), Complex(0, -pi)}),
            "");
  EXPECT_EQ(text_of(sigmoid(vector_of({Complex(0, 0)}, DType::complex64))), "complex64 [0.5+0j]");
  EXPECT_EQ(error_of([&] { static_cast<void>(erf(a)); }), "\"erf_cuda\" not implemented for 'ComplexDouble'");
}

}  // namespace
}  // namespace gpucheck::tensor::test
