#include <gtest/gtest.h>
#include <limits>

#include "runtime/tests/error_of.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "values.hpp"

namespace gpucheck::tensor::test {
namespace {

using runtime::test::error_of;

TEST(Quotients, OfWholeNumbersOfEitherSign) {
  const Tensor a = vector_of({7, -7, 7, -7, 6}, DType::int32);
  const Tensor b = vector_of({2, 2, -2, -2, -3}, DType::int32);
  EXPECT_EQ(text_of(div(a, b, "trunc")), "int32 [3, -3, -3, 3, -2]");
  EXPECT_EQ(text_of(div(a, b, "floor")), "int32 [3, -4, -4, 3, -2]");
  EXPECT_EQ(text_of(div(a, b, std::nullopt)), "float32 [3.5, -3.5, -3.5, 3.5, -2]");
  EXPECT_EQ(text_of(floor_divide(a, b)), "int32 [3, -4, -4, 3, -2]");
  EXPECT_EQ(text_of(remainder(a, b)), "int32 [1, 1, -1, -1, 0]");
  EXPECT_EQ(text_of(fmod(a, b)), "int32 [1, -1, 1, -1, 0]");
  EXPECT_EQ(text_of(remainder(-7, b)), "int32 [1, 1, -1, -1, -1]");
}

TEST(Quotients, OfFloatingNumbersOfEitherSign) {
  const Tensor a = vector_of({5.5, -5.5, 5.5, -5.5, -0.0}, DType::float64);
  const Tensor b = vector_of({2, 2, -2, -2, 3}, DType::float64);
  EXPECT_EQ(text_of(div(a, b, "trunc")), "float64 [2, -2, -2, 2, -0]");
  EXPECT_EQ(text_of(floor_divide(a, b)), "float64 [2, -3, -3, 2, -0]");
  EXPECT_EQ(text_of(remainder(a, b)), "float64 [1.5, 0.5, -0.5, -1.5, -0]");
  EXPECT_EQ(text_of(fmod(a, b)), "float64 [1.5, -1.5, 1.5, -1.5, -0]");
}

TEST(Quotients, OfFloatingNumbersByZeroAndOfInfinity) {
  const Tensor a = vector_of({1, -1, 0.0, infinite});
  EXPECT_EQ(text_of(floor_divide(a, 0)), "float32 [inf, -inf, nan, inf]");
  EXPECT_EQ(text_of(remainder(a, 0)), "float32 [nan, nan, nan, nan]");
  EXPECT_EQ(text_of(fmod(a, infinite)), "float32 [1, -1, 0, nan]");
  EXPECT_EQ(text_of(remainder(a, infinite)), "float32 [1, inf, 0, nan]");
}

TEST(Quotients, RoundedDownFitWhatTheyLeave) {
  // 1 / 0.1 rounds to 10, but ten tenths, as they are stored, are more than one.
  EXPECT_EQ(text_of(floor_divide(vector_of({1}, DType::float64), 0.1)), "float64 [9]");
  EXPECT_EQ(text_of(div(vector_of({1}, DType::float64), 0.1, "trunc")), "float64 [10]");
  // 27.2 is stored as 27.2000008, of which 320 are too many. Without what is left the quotient is 318.999969.
  EXPECT_EQ(text_of(floor_divide(vector_of({8704}), 27.2)), "float32 [319]");
}

TEST(Quotients, OfTheLowestNumberByMinusOneWrapAround) {
  const Tensor lowest = vector_of({std::numeric_limits<std::int64_t>::min()}, DType::int64);
  EXPECT_EQ(text_of(floor_divide(lowest, -1)), "int64 [-9223372036854775808]");
  EXPECT_EQ(text_of(remainder(lowest, -1)), "int64 [0]");
  EXPECT_EQ(text_of(floor_divide(vector_of({-128}, DType::int8), -1)), "int8 [-128]");
}

TEST(Quotients, AreOfTheTensorsTypeBesideANumber) {
  // -1 as a byte is 255, and 257 is 1.
  EXPECT_EQ(text_of(floor_divide(vector_of({255, 254}, DType::uint8), -1)), "uint8 [1, 0]");
  EXPECT_EQ(text_of(floor_divide(vector_of({255}, DType::uint8), full({}, 257, DType::int64))), "uint8 [255]");
  EXPECT_EQ(text_of(floor_divide(vector_of({7}, DType::int32), 2.0)), "float32 [3]");
}

TEST(Quotients, OfWholeNumbersByZeroAreRefusedOnTheHost) {
  const Tensor a = vector_of({1, 2}, DType::int32);
  const Tensor b = vector_of({1, 0}, DType::int32);
  EXPECT_EQ(error_of([&] { static_cast<void>(floor_divide(a, b)); }), "ZeroDivisionError");
  EXPECT_EQ(error_of([&] { static_cast<void>(remainder(a, 0)); }), "ZeroDivisionError");
  EXPECT_EQ(error_of([&] { static_cast<void>(fmod_(a, b)); }), "ZeroDivisionError");
  EXPECT_EQ(error_of([&] { static_cast<void>(div(vector_of({1}, DType::uint8), 256, "trunc")); }), "ZeroDivisionError");
  EXPECT_EQ(text_of(floor_divide(empty({0}, DType::int32), 0)), "int32 []");
}

TEST(Quotients, RefuseOtherTypesAndModes) {
  const Tensor truth = vector_of({true}, DType::boolean);
  EXPECT_EQ(error_of([&] { static_cast<void>(floor_divide(truth, truth)); }),
            "\"div_floor_cuda\" not implemented for 'Bool'");
  EXPECT_EQ(error_of([&] { static_cast<void>(remainder(vector_of({1}, DType::complex64), 1)); }),
            "\"remainder_cuda\" not implemented for 'ComplexFloat'");
  EXPECT_EQ(error_of([&] { static_cast<void>(div(truth, truth, "round")); }),
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'round'");
}

}  // namespace
}  // namespace gpucheck::tensor::test
