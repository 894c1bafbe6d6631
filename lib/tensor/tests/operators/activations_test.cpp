#include "tensor/operators/functions/activations.hpp"

#include <gtest/gtest.h>
#include <numbers>

#include "closeness.hpp"
#include "runtime/tests/error_of.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "values.hpp"

namespace gpucheck::tensor::test {
namespace {

using runtime::test::error_of;

TEST(Relu, KeepsNanAndRefusesBooleans) {
  EXPECT_EQ(text_of(relu(vector_of({-1, 0.5, not_a_number, infinite, -infinite}))), "float32 [0, 0.5, nan, inf, 0]");
  EXPECT_EQ(text_of(relu(vector_of({-5, 5}, DType::int32))), "int32 [0, 5]");
  EXPECT_EQ(text_of(relu_(vector_of({-5, 5}, DType::bfloat16))), "bfloat16 [0, 5]");
  EXPECT_EQ(error_of([] { static_cast<void>(relu(vector_of({true}, DType::boolean))); }),
            "Boolean inputs not supported for relu");
}

// The share of a normal distribution below 1 is 0.8413447461 (Abramowitz and Stegun, table 26.1).
TEST(Gelu, IsTheNumberTimesItsShareOfANormalDistribution) {
  const Tensor a = vector_of({0.0, 1, -1, -infinite, 20});
  EXPECT_EQ(difference_of(gelu(a), vector_of({0.0, 0.8413447461, -0.1586552539, not_a_number, 20}),
                          {.units = 4, .at_least = 1}),
            "");
  const Tensor near = gelu(a, "tanh");
  // tanh(0.7978845608 (1 + 0.044715)) is 0.682384
  EXPECT_EQ(difference_of(near, vector_of({0.0, 0.841192, -0.158808, not_a_number, 20}), {.units = 16, .at_least = 1}),
            "");
  EXPECT_EQ(error_of([&] { static_cast<void>(gelu(a, "fast")); }), "approximate argument must be either none or tanh.");
  EXPECT_EQ(error_of([] { static_cast<void>(gelu(vector_of({1}, DType::int64))); }),
            "\"GeluCUDAKernelImpl\" not implemented for 'Long'");
}

TEST(Silu, IsTheNumberTimesItsSigmoid) {
  const Tensor a = vector_of({0.0, std::numbers::ln2, -std::numbers::ln2}, DType::float64);
  const Tensor expected = vector_of({0.0, std::numbers::ln2 * 2 / 3, -std::numbers::ln2 / 3}, DType::float64);
  EXPECT_EQ(difference_of(silu(a), expected, {.units = 2}), "");
  EXPECT_EQ(error_of([] { static_cast<void>(silu(vector_of({1}, DType::int32))); }),
            "\"silu_cuda\" not implemented for 'Int'");
}

TEST(Softplus, IsStraightAboveItsThreshold) {
  const Tensor a = vector_of({0.0, 30, 1000, -1000, not_a_number}, DType::float64);
  EXPECT_EQ(difference_of(softplus(a), vector_of({std::numbers::ln2, 30, 1000, 0.0, not_a_number}, DType::float64),
                          {.units = 2}),
            "");
  EXPECT_EQ(
      difference_of(softplus(a, 2, 10), vector_of({std::numbers::ln2 / 2, 30, 1000, 0.0, not_a_number}, DType::float64),
                    {.units = 2}),
      "");
}

TEST(LeakyRelu, HasASlopeBelowZero) {
  EXPECT_EQ(text_of(leaky_relu(vector_of({-2, 0.0, 3, not_a_number}), 0.5)), "float32 [-1, 0, 3, nan]");
  EXPECT_EQ(text_of(leaky_relu(vector_of({-100}, DType::float64))), "float64 [-1]");
  EXPECT_EQ(error_of([] { static_cast<void>(leaky_relu(vector_of({1}, DType::int64))); }),
            "\"leaky_relu_cuda\" not implemented for 'Long'");
}

TEST(Threshold, PutsAValueInPlaceOfWhatIsNotAbove) {
  EXPECT_EQ(text_of(threshold(vector_of({1, 2, 3, not_a_number}), 2, -1)), "float32 [-1, -1, 3, nan]");
  EXPECT_EQ(text_of(threshold_(vector_of({1, 3}, DType::int64), 2, 7)), "int64 [7, 3]");
  EXPECT_EQ(error_of([] { static_cast<void>(threshold(vector_of({true}, DType::boolean), 0, 1)); }),
            "\"threshold_cuda\" not implemented for 'Bool'");
}

TEST(Prelu, HasAWeightForEachChannel) {
  const Tensor a = full({2, 3, 2}, -2);
  EXPECT_EQ(text_of(prelu(a, vector_of({1, 2, 3}))), "float32 [-2, -2, -4, -4, -6, -6, -2, -2, -4, -4, -6, -6]");
  EXPECT_EQ(text_of(prelu(vector_of({-4, 4}), vector_of({0.25}))), "float32 [-1, 4]");
  EXPECT_EQ(text_of(prelu(full({}, -4), full({}, 0.5))), "float32 [-2]");
  const Tensor every_second = vector_of({1, 9, 2, 9, 3}).with_geometry({{3}, {2}, 0});
  EXPECT_EQ(text_of(prelu(full({1, 3}, -1), every_second)), "float32 [-1, -2, -3]");
}

TEST(Prelu, RefusesWeightsThatDoNotFit) {
  const Tensor a = full({2, 3}, 1);
  EXPECT_EQ(error_of([&] {
              static_cast<void>(prelu(a, vector_of({1, 2})));
            }),
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = 2 and channel size = 3.");
  EXPECT_EQ(error_of([&] { static_cast<void>(prelu(a, vector_of({1}, DType::float16))); }),
            "prelu: Type promoting not supported. Got Float and Half");
  EXPECT_EQ(error_of([&] {
              static_cast<void>(prelu(full({}, 1), vector_of({1, 2})));
            }),
            "Not allow zero-dim input tensor.");
  EXPECT_EQ(error_of([&] {
              static_cast<void>(prelu(a, full({1, 3}, 1)));
            }),
            "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = 2");
}

}  // namespace
}  // namespace gpucheck::tensor::test
