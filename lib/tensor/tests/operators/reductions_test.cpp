#include "tensor/operators/reductions/reductions.hpp"

#include <gtest/gtest.h>
#include <tuple>

#include "listed.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/core/item.hpp"
#include "tensor/operators/factories/factories.hpp"

// Reductions whose results are worked out by hand, on the host and on a simulated device.
namespace gpucheck::tensor::test {
namespace {

using Numbers = std::vector<double>;

class Reductions : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] Device device() const { return GetParam() ? own_.device() : host; }
  [[nodiscard]] Tensor made(DType dtype, const Sizes& sizes, const Numbers& numbers) const {
    return listed(dtype, sizes, numbers, device());
  }

 private:
  OwnDevice own_;
};
INSTANTIATE_TEST_SUITE_P(Where, Reductions, testing::Values(false, true),
                         [](const auto& made) { return std::string(made.param ? "Device" : "Host"); });

TEST_P(Reductions, MeanOfManyHalfOnesIsOne) {
  const Tensor ones_of_half = ones({65536}, DType::float16, device());
  EXPECT_EQ(numbers_of(mean(ones_of_half)), Numbers{1});
  EXPECT_EQ(mean(ones_of_half).dtype(), DType::float16);
  EXPECT_EQ(mean(ones_of_half, DType::float32).dtype(), DType::float32);
  EXPECT_EQ(numbers_of(mean(ones_of_half, DType::float32)), Numbers{1});
}

TEST_P(Reductions, MeanOverDimensions) {
  const Tensor self = made(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 9});
  EXPECT_EQ(numbers_of(mean(self, 0)), (Numbers{2.5, 3.5, 6}));
  EXPECT_EQ(numbers_of(mean(self, -1, true)), (Numbers{2, 6}));
  EXPECT_EQ(mean(self, -1, true).sizes(), (Sizes{2, 1}));
  EXPECT_EQ(numbers_of(mean(self, {0, 1})), Numbers{4});
  const Tensor whole = made(DType::uint8, {4}, {255, 255, 255, 254});
  EXPECT_EQ(numbers_of(mean(whole, DType::float32)), Numbers{254.75});
  EXPECT_TRUE(std::isnan(numbers_of(mean(made(DType::float32, {0}, {})))[0]));
  const Tensor complex = full({2}, Scalar::Complex(2, 3), DType::complex64, device());
  EXPECT_EQ(item(mean(complex)).to_complex(), Scalar::Complex(2, 3));
}

TEST_P(Reductions, MeanRefusesWholeNumbers) {
  const Tensor self = made(DType::uint8, {1}, {1});
  EXPECT_EQ(error_of([&] { mean(self); }),
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            "Byte");
  EXPECT_EQ(error_of([&] { mean(self, DType::int64); }),
            "mean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. "
            "Got: Long");
  const Tensor out = made(DType::float64, {}, {0});
  EXPECT_EQ(error_of([&] { mean_out(made(DType::float16, {1}, {1}), std::nullopt, out); }),
            "Expected out tensor to have dtype c10::Half, but got double instead");
}

TEST_P(Reductions, ProductsMultiply) {
  EXPECT_EQ(numbers_of(prod(made(DType::float32, {2, 2}, {1, 2, 3, 4}))), Numbers{24});
  EXPECT_EQ(numbers_of(prod(made(DType::int8, {2, 2}, {100, 100, 3, -4}), 1)), (Numbers{10000, -12}));
  EXPECT_EQ(numbers_of(prod(made(DType::float32, {0}, {}))), Numbers{1});
  EXPECT_EQ(prod(made(DType::boolean, {2}, {1, 1})).dtype(), DType::int64);
  // 2^62 * 4 wraps around to 0, 2^63 * 1 to the lowest number.
  const Tensor large = full({2}, std::int64_t{1} << 62, DType::int64, device());
  EXPECT_EQ(numbers_of(prod(large)), Numbers{0});
  EXPECT_EQ(numbers_of(prod(made(DType::int64, {2}, {0x1p62, 2}))), Numbers{-0x1p63});
}

TEST_P(Reductions, ProductsOfManyStartFromOne) {
  EXPECT_EQ(numbers_of(prod(ones({240000}, DType::float32, device()))), Numbers{1});
  for (const DType dtype : {DType::complex64, DType::complex128}) {
    const Tensor units = full({240000}, Scalar::Complex(0, 1), dtype, device());
    EXPECT_EQ(item(prod(units)).to_complex(), Scalar::Complex(1, 0));
  }
}

TEST_P(Reductions, AnyAndAllTakeWhatIsNoNumberForTrue) {
  EXPECT_EQ(numbers_of(any(made(DType::float32, {2, 2}, {0, nan_value, 0, -0.0}), 1)), (Numbers{1, 0}));
  EXPECT_EQ(numbers_of(all(made(DType::float32, {2, 2}, {1, nan_value, 1, -0.0}), 1)), (Numbers{1, 0}));
  EXPECT_EQ(numbers_of(any(made(DType::int64, {0}, {}))), Numbers{0});
  EXPECT_EQ(numbers_of(all(made(DType::int64, {0}, {}))), Numbers{1});
  EXPECT_EQ(any(made(DType::uint8, {1}, {7})).dtype(), DType::uint8);
  EXPECT_EQ(numbers_of(any(made(DType::uint8, {1}, {7}))), Numbers{1});
  const Tensor imaginary = full({1}, Scalar::Complex(0, 1), DType::complex64, device());
  EXPECT_EQ(numbers_of(all(imaginary)), Numbers{1});
}

TEST_P(Reductions, ExtremesAreNotNumbersWhereOneIsNot) {
  const Tensor self = made(DType::float32, {2, 3}, {1, nan_value, 3, -infinite, 5, infinite});
  const Numbers largest = numbers_of(amax(self, {1}));
  EXPECT_TRUE(std::isnan(largest[0]));
  EXPECT_EQ(largest[1], infinite);
  EXPECT_EQ(numbers_of(amin(self, {1}, true))[1], -infinite);
  EXPECT_TRUE(std::isnan(numbers_of(max(self))[0]));
  EXPECT_EQ(numbers_of(min(made(DType::int64, {3}, {-0x1p63, 0, 5}))), Numbers{-0x1p63});
  EXPECT_EQ(numbers_of(max(made(DType::float32, {1}, {-infinite}))), Numbers{-infinite});
  EXPECT_EQ(numbers_of(amax(made(DType::boolean, {2}, {0, 1}))), Numbers{1});
}

TEST_P(Reductions, IndicesOfExtremesAreTheFirstOfEqualOnes) {
  const auto [values, indices] = max(made(DType::float32, {2, 4}, {1, 3, 3, 2, 5, nan_value, 7, nan_value}), 1);
  EXPECT_EQ(numbers_of(indices), (Numbers{1, 1}));
  EXPECT_EQ(indices.dtype(), DType::int64);
  EXPECT_EQ(numbers_of(values)[0], 3);
  EXPECT_TRUE(std::isnan(numbers_of(values)[1]));
  const auto [lowest, places] = min(made(DType::int8, {3, 2}, {1, -128, 0, -128, 0, 4}), 0, true);
  EXPECT_EQ(numbers_of(lowest), (Numbers{0, -128}));
  EXPECT_EQ(numbers_of(places), (Numbers{1, 0}));
  EXPECT_EQ(lowest.dtype(), DType::int8);
  EXPECT_EQ(lowest.sizes(), (Sizes{1, 2}));
}

TEST_P(Reductions, StartValuesDoNotWinOverEqualElements) {
  EXPECT_EQ(numbers_of(argmax(made(DType::uint8, {1}, {0}), 0)), Numbers{0});
  EXPECT_EQ(numbers_of(argmin(made(DType::uint8, {1}, {255}), 0)), Numbers{0});
  EXPECT_EQ(numbers_of(argmin(made(DType::float32, {2}, {infinite, infinite}))), Numbers{0});
  EXPECT_EQ(numbers_of(std::get<1>(max(made(DType::int64, {1}, {-0x1p63}), 0))), Numbers{0});
}

TEST_P(Reductions, IndicesOfManyElements) {
  constexpr std::int64_t count = 300000;
  const Tensor self = zeros({count}, DType::int8, device());
  fill_(self.with_geometry({{2}, {100}, count - 150}), 1);
  EXPECT_EQ(numbers_of(argmax(self)), Numbers{count - 150});
  EXPECT_EQ(numbers_of(argmin(self, 0)), Numbers{0});
}

TEST_P(Reductions, WithoutADimensionIndicesCountInOrder) {
  const Tensor self = made(DType::float32, {2, 3}, {0, 1, 2, 9, 4, 5});
  EXPECT_EQ(numbers_of(argmax(self)), Numbers{3});
  const Tensor transposed = self.with_geometry({{3, 2}, {1, 3}, 0});
  EXPECT_EQ(numbers_of(argmax(transposed)), Numbers{1});
  EXPECT_EQ(argmax(self, std::nullopt, true).sizes(), (Sizes{1, 1}));
  EXPECT_EQ(argmax(self).sizes(), Sizes{});
  EXPECT_EQ(numbers_of(argmax(made(DType::float32, {}, {4}), 0)), Numbers{0});
}

TEST_P(Reductions, ExtremesOfNothingAreRefused) {
  const Tensor none = made(DType::float32, {0, 3}, {});
  const std::string expected = "(): Expected reduction dim to be specified for input.numel() == 0.";
  EXPECT_EQ(error_of([&] { max(none); }), "max" + expected + " Specify the reduction dim with the 'dim' argument.");
  EXPECT_EQ(error_of([&] { amin(none); }), "amin" + expected + " Specify the reduction dim with the 'dim' argument.");
  EXPECT_EQ(error_of([&] { argmax(none); }), "argmax" + expected);
  EXPECT_EQ(error_of([&] { min(none, 0); }), "min(): Expected reduction dim 0 to have non-zero size.");
  EXPECT_EQ(std::get<0>(max(none, 1)).sizes(), Sizes{0});
  EXPECT_THROW(amax(none, {-2}), IndexError);
  EXPECT_EQ(amax(none, {1}).sizes(), Sizes{0});
}

TEST_P(Reductions, ExtremesRefuseTypesWithoutOrder) {
  const Tensor complex = made(DType::complex64, {1}, {1});
  EXPECT_EQ(error_of([&] { argmax(complex); }), "argmax(): does not support complex input");
  EXPECT_EQ(error_of([&] { max(complex, 0); }), "max(): does not support complex input");
  EXPECT_EQ(error_of([&] { amax(complex); }), "\"max_values_cuda\" not implemented for 'ComplexFloat'");
  EXPECT_EQ(error_of([&] { argmin(made(DType::boolean, {1}, {1})); }), "argmin(): does not support bool input");
}

TEST_P(Reductions, NormsOfEachOrder) {
  const Tensor self = made(DType::float32, {2, 2}, {3, -4, 0, 1});
  EXPECT_EQ(numbers_of(norm(self, 2, {1})), (Numbers{5, 1}));
  EXPECT_EQ(numbers_of(norm(self, 1, {1})), (Numbers{7, 1}));
  EXPECT_EQ(numbers_of(norm(self, 0, {1})), (Numbers{2, 1}));
  EXPECT_EQ(numbers_of(norm(self, infinite, {1})), (Numbers{4, 1}));
  EXPECT_EQ(numbers_of(norm(self, -infinite, {1}, true)), (Numbers{3, 0}));
  EXPECT_NEAR(numbers_of(norm(self, 3))[0], std::cbrt(27.0 + 64 + 1), 1e-6);
  EXPECT_EQ(numbers_of(norm(self, std::nullopt, {0})), (Numbers{3, std::sqrt(17.0F)}));
  const Tensor complex = full({1}, Scalar::Complex(3, 4), DType::complex64, device());
  EXPECT_EQ(numbers_of(norm(complex)), Numbers{5});
  EXPECT_EQ(norm(complex).dtype(), DType::float32);
  EXPECT_EQ(numbers_of(norm(made(DType::float64, {0}, {}))), Numbers{0});
  EXPECT_TRUE(std::isnan(numbers_of(norm(made(DType::float32, {2}, {nan_value, 1}), infinite))[0]));
}

TEST_P(Reductions, NormsOfHalfAreAddedUpInFloat) {
  const Tensor many = ones({65536}, DType::float16, device());
  EXPECT_EQ(numbers_of(norm(many, 0, DType::float32)), Numbers{65536});
  EXPECT_EQ(norm(many, 0, DType::float32).dtype(), DType::float32);
  // (0..24) / 10^8 in half are below 2^-14, where its spacing is 2^-24: most are 1 to 4 times that.
  Numbers tiny;
  for (int i = 0; i < 25; ++i) tiny.push_back(i / 1e8);
  EXPECT_GT(numbers_of(norm(made(DType::float16, {25}, tiny), 2, DType::float32))[0], 0);
  EXPECT_GT(numbers_of(norm(made(DType::float16, {25}, tiny)))[0], 0);
}

TEST_P(Reductions, NormsRefuseWhatHasNone) {
  const Tensor whole = made(DType::uint8, {1}, {1});
  EXPECT_EQ(error_of([&] { norm(whole); }),
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Byte");
  const Tensor none = made(DType::float32, {0}, {});
  EXPECT_EQ(error_of([&] { norm(none, infinite); }),
            "linalg.vector_norm cannot compute the inf norm on an empty tensor because the operation does not have an "
            "identity");
  const Tensor wide = made(DType::float64, {1}, {1});
  EXPECT_EQ(error_of([&] { norm(wide, 2, DType::float32); }),
            "linalg.vector_norm: the dtype of the input (Double) should be convertible without narrowing to the "
            "specified dtype (Float)");
}

TEST_P(Reductions, CumulativeSumsAndProducts) {
  const Tensor self = made(DType::int32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(numbers_of(cumsum(self, 1)), (Numbers{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(numbers_of(cumsum(self, 0)), (Numbers{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(cumsum(self, 0).dtype(), DType::int64);
  EXPECT_EQ(numbers_of(cumprod(self, -1)), (Numbers{1, 2, 6, 4, 20, 120}));
  const Tensor bytes = made(DType::uint8, {3}, {200, 100, 1});
  EXPECT_EQ(numbers_of(cumsum_(bytes, 0)), (Numbers{200, 44, 45}));
  EXPECT_EQ(bytes.dtype(), DType::uint8);
  EXPECT_EQ(numbers_of(cumsum(made(DType::float32, {}, {3}), 0)), Numbers{3});
  EXPECT_EQ(cumsum(made(DType::float32, {0, 2}, {}), 0).sizes(), (Sizes{0, 2}));
  EXPECT_EQ(numbers_of(cumsum(made(DType::float32, {3}, {1.5, 2, -9}), 0, DType::int8)), (Numbers{1, 3, -6}));
  EXPECT_THROW(static_cast<void>(cumsum(self, 2)), IndexError);
}

TEST_P(Reductions, CumulativeSumsOfALongRow) {
  constexpr std::int64_t count = 10007;
  const Numbers sums = numbers_of(cumsum(ones({count}, DType::float32, device()), 0));
  for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(sums[static_cast<std::size_t>(i)], static_cast<double>(i + 1));
}

void expect_near(const Numbers& found, const Numbers& expected, double relative) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], relative * std::abs(expected[i])) << i;
  }
}

TEST_P(Reductions, SoftmaxSharesOutOne) {
  // e^0, e^ln(2), e^ln(5) are 1, 2, 5 of 8.
  const Numbers row{0, std::log(2.0), std::log(5.0)};
  const Tensor self = made(DType::float64, {3}, row);
  expect_near(numbers_of(softmax(self, 0)), {0.125, 0.25, 0.625}, 1e-15);
  expect_near(numbers_of(log_softmax(self, 0)), {-std::log(8.0), -std::log(4.0), std::log(0.625)}, 1e-14);
  expect_near(numbers_of(logsumexp(self, {0})), {std::log(8.0)}, 1e-15);
  // As far from 0 as exponentials overflow and underflow.
  const Tensor far = made(DType::float32, {2, 2}, {1000, 1000, -1000, -1000});
  expect_near(numbers_of(softmax(far, 1)), {0.5, 0.5, 0.5, 0.5}, 0);
  expect_near(numbers_of(softmax(far, 0)), {1, 1, 0, 0}, 0);
  expect_near(numbers_of(logsumexp(far, {1}, true)), {1000 + std::log(2.0), -1000 + std::log(2.0)}, 1e-6);
}

TEST_P(Reductions, SoftmaxOfInfiniteElements) {
  const Tensor masked = made(DType::float32, {2, 3}, {-infinite, 7, 7, -infinite, -infinite, -infinite});
  const Numbers shares = numbers_of(softmax(masked, 1));
  EXPECT_EQ((Numbers{shares[0], shares[1], shares[2]}), (Numbers{0, 0.5, 0.5}));
  EXPECT_TRUE(std::isnan(shares[3]) && std::isnan(shares[4]) && std::isnan(shares[5]));
  EXPECT_EQ(numbers_of(logsumexp(masked, {1}))[1], -infinite);
  for (const Numbers& row : {Numbers{nan_value, 1, 2}, Numbers{1, 2, nan_value}}) {
    for (const double share : numbers_of(softmax(made(DType::float32, {3}, row), 0))) EXPECT_TRUE(std::isnan(share));
  }
}

TEST_P(Reductions, SoftmaxOfLongRowsOfEachType) {
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
    const Tensor self = zeros({3, 1024}, dtype, device());
    fill_(self.with_geometry({{3, 512}, {1024, 2}, 0}), -infinite);
    const Numbers shares = numbers_of(softmax(self, 1));
    EXPECT_EQ(shares[2], 0);
    EXPECT_EQ(shares[1], 1.0 / 512);
    EXPECT_EQ(shares[3071], 1.0 / 512);
    // Three equal rows: a third each, rounded to the type.
    const Numbers thirds = numbers_of(softmax(self, 0));
    EXPECT_EQ(thirds[1], numbers_of(listed(dtype, {1}, {1.0 / 3}))[0]);
    EXPECT_EQ(thirds[3071], thirds[1]);
  }
}

TEST_P(Reductions, SoftmaxTypes) {
  const Tensor half = made(DType::float16, {2}, {0, 0});
  EXPECT_EQ(softmax(half, 0).dtype(), DType::float16);
  EXPECT_EQ(softmax(half, 0, DType::float32).dtype(), DType::float32);
  EXPECT_EQ(numbers_of(softmax(half, 0, DType::float32)), (Numbers{0.5, 0.5}));
  EXPECT_EQ(error_of([&] { softmax(made(DType::int32, {1}, {1}), 0); }), "\"host_softmax\" not implemented for 'Int'");
  EXPECT_EQ(logsumexp(made(DType::int32, {1}, {1}), {0}).dtype(), DType::float32);
  EXPECT_EQ(numbers_of(softmax(made(DType::float32, {}, {5}), 0)), Numbers{1});
}

TEST_P(Reductions, VariancesAndDeviations) {
  // The mean is 5, the squares of the distances 9, 1, 1, 1, 0, 0, 4, 16.
  const Tensor self = made(DType::float32, {8}, {2, 4, 4, 4, 5, 5, 7, 9});
  expect_near(numbers_of(var(self, false)), {4}, 1e-6);
  expect_near(numbers_of(var(self)), {32.0 / 7}, 1e-6);
  expect_near(numbers_of(deviation(self, {0}, false, true)), {2}, 1e-6);
  expect_near(numbers_of(var_correction(self, std::nullopt, 4)), {8}, 1e-6);
  EXPECT_TRUE(std::isnan(numbers_of(var(made(DType::float32, {1}, {3})))[0]));
  EXPECT_TRUE(std::isnan(numbers_of(var(made(DType::float32, {0}, {})))[0]));
  // Beside a large mean nothing of the distances is lost.
  expect_near(numbers_of(var(made(DType::float64, {3}, {1e9, 1e9 + 1, 1e9 + 2}))), {1}, 1e-6);
  EXPECT_EQ(var(made(DType::complex64, {2}, {1, 3})).dtype(), DType::float32);
  EXPECT_EQ(error_of([&] {
              var(made(DType::int32, {2}, {1, 3}));
            }),
            "std and var only support floating point and complex dtypes");
}

TEST_P(Reductions, LogSumExpOfComplexNumbers) {
  // e^0 + e^(i pi / 2) = 1 + i, of which the logarithm is ln(2) / 2 + i pi / 4.
  const Tensor self = zeros({2}, DType::complex128, device());
  const double half_turn = std::acos(-1.0);
  fill_(self.with_geometry({{1}, {1}, 1}), Scalar::Complex(0, half_turn / 2));
  const Scalar::Complex found = item(logsumexp(self, {0})).to_complex();
  EXPECT_NEAR(found.real(), std::log(2.0) / 2, 1e-15);
  EXPECT_NEAR(found.imag(), half_turn / 4, 1e-15);
}

}  // namespace
}  // namespace gpucheck::tensor::test
