#include "tensor/operators/indexing/indexing.hpp"

#include <gtest/gtest.h>

#include "listed.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/operators/factories/factories.hpp"

// Operators with an index whose results are worked out by hand, on the host and on a simulated device.
namespace gpucheck::tensor::test {
namespace {

using Numbers = std::vector<double>;

class Indexing : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] Device device() const { return GetParam() ? own_.device() : host; }
  [[nodiscard]] Tensor made(DType dtype, const Sizes& sizes, const Numbers& numbers) const {
    return listed(dtype, sizes, numbers, device());
  }

 private:
  OwnDevice own_;
};
INSTANTIATE_TEST_SUITE_P(Where, Indexing, testing::Values(false, true),
                         [](const auto& info) { return std::string(info.param ? "Device" : "Host"); });

TEST_P(Indexing, GatherTakesAlongADimension) {
  const Tensor truths = made(DType::boolean, {2, 2}, {0, 1, 1, 1});
  const Tensor picked = gather(truths, 1, made(DType::int64, {2, 2}, {0, 0, 1, 0}));
  EXPECT_EQ(numbers_of(picked), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(picked.dtype(), DType::boolean);
  const Tensor self = made(DType::complex128, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(numbers_of(gather(self, 0, made(DType::int64, {3, 2}, {1, 0, 0, 1, 1, 1}))), (Numbers{4, 2, 1, 5, 4, 5}));
  EXPECT_EQ(numbers_of(gather(self, -1, made(DType::int32, {1, 4}, {2, 2, 0, 1}))), (Numbers{3, 3, 1, 2}));
  const Tensor transposed = self.with_geometry({{3, 2}, {1, 3}, 0});
  EXPECT_EQ(numbers_of(gather(transposed, 1, made(DType::int64, {3, 1}, {1, 0, 1}))), (Numbers{4, 2, 6}));
  EXPECT_EQ(numbers_of(gather(made(DType::float32, {}, {7}), 0, made(DType::int64, {}, {0}))), Numbers{7});
  EXPECT_EQ(gather(self, 0, made(DType::int64, {0}, {})).sizes(), Sizes{0});
}

TEST_P(Indexing, GatherRefusesShapesAndTypesThatDoNotFit) {
  const Tensor self = made(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(error_of([&] {
              gather(self, 0, made(DType::float32, {1, 1}, {0}));
            }),
            "gather(): Expected dtype int32/int64 for index");
  EXPECT_EQ(error_of([&] { gather(self, 0, made(DType::int64, {1}, {0})); }),
            "Index tensor must have the same number of dimensions as input tensor");
  EXPECT_EQ(error_of([&] {
              gather(self, 0, made(DType::int64, {1, 4}, {0, 0, 0, 0}));
            }),
            "Size does not match at dimension 1 expected index [1, 4] to be no larger than self [2, 3] apart from "
            "dimension 0");
}

TEST_P(Indexing, AnIndexOutsideIsRefusedOrAsserted) {
  for (const double outside : {-1.0, 2.0}) {
    OwnDevice own;
    const Device where = GetParam() ? own.device() : host;
    const Tensor self = listed(DType::float32, {2}, {1, 2}, where);
    const Tensor index = listed(DType::int64, {1}, {outside}, where);
    const std::string error = error_of([&] { numbers_of(gather(self, 0, index)); });
    if (GetParam()) {
      EXPECT_NE(error.find("device-side assert"), std::string::npos) << error;
    } else {
      EXPECT_EQ(error,
                "index " + std::to_string(static_cast<int>(outside)) + " is out of bounds for dimension 0 with size 2");
    }
  }
}

TEST_P(Indexing, BinsCountNumbersOrTheirWeights) {
  const Numbers numbers{1, 4, 1, 0, 4, 4};
  for (const DType dtype : {DType::uint8, DType::int8, DType::int16, DType::int32, DType::int64}) {
    const Tensor counts = bincount(made(dtype, {6}, numbers));
    EXPECT_EQ(numbers_of(counts), (Numbers{1, 2, 0, 0, 3}));
    EXPECT_EQ(counts.dtype(), DType::int64);
  }
  const Tensor self = made(DType::int32, {6}, numbers);
  const Numbers weights{0.5, 1, 0.25, -2, 8, 16};
  const Tensor weighted = bincount(self, made(DType::float64, {6}, weights), 6);
  EXPECT_EQ(numbers_of(weighted), (Numbers{-2, 0.75, 0, 0, 25, 0}));
  EXPECT_EQ(weighted.dtype(), DType::float64);
  EXPECT_EQ(bincount(self, made(DType::float32, {6}, weights)).dtype(), DType::float32);
  const Tensor by_half = bincount(self, made(DType::float16, {6}, weights));
  EXPECT_EQ(by_half.dtype(), DType::float64);
  EXPECT_EQ(numbers_of(by_half), (Numbers{-2, 0.75, 0, 0, 25}));
  // Every second element of a row.
  EXPECT_EQ(numbers_of(bincount(self.with_geometry({{3}, {2}, 0}))), (Numbers{0, 2, 0, 0, 1}));
}

TEST_P(Indexing, BinsAreAtLeastAsManyAsWanted) {
  Numbers numbers(10, 0);
  numbers[0] = 35488;
  const Tensor counts = bincount(made(DType::int32, {10}, numbers), {}, 65536);
  EXPECT_EQ(counts.sizes(), Sizes{65536});
  const Numbers found = numbers_of(counts);
  EXPECT_EQ(found[0], 9);
  EXPECT_EQ(found[35488], 1);
  EXPECT_EQ(numbers_of(bincount(made(DType::int64, {0}, {}), {}, 2)), (Numbers{0, 0}));
}

TEST_P(Indexing, BinsRefuseWhatIsNoCount) {
  const std::string expected = "bincount only supports 1-d non-negative integral inputs.";
  EXPECT_EQ(error_of([&] { bincount(made(DType::int8, {2}, {3, -1})); }), expected);
  EXPECT_EQ(error_of([&] { bincount(made(DType::uint8, {1, 1}, {0})); }), expected);
  EXPECT_EQ(error_of([&] { bincount(made(DType::boolean, {1}, {1})); }),
            "\"bincount_cuda\" not implemented for 'Bool'");
  EXPECT_EQ(error_of([&] { bincount(made(DType::uint8, {1}, {1}), {}, -1); }), "minlength should be >= 0");
  EXPECT_EQ(error_of([&] {
              bincount(made(DType::uint8, {1}, {1}), made(DType::float32, {2}, {1, 1}));
            }),
            "weights should be 1-d and have the same length as input");
}

}  // namespace
}  // namespace gpucheck::tensor::test
