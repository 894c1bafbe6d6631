#include "tensor/operators/joining/joining.hpp"

#include <gtest/gtest.h>

#include "listed.hpp"

// Tensors put together, on the host and on a simulated device.
namespace gpucheck::tensor::test {
namespace {

using Numbers = std::vector<double>;

class Joining : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] Device device() const { return GetParam() ? own_.device() : host; }
  [[nodiscard]] Tensor made(DType dtype, const Sizes& sizes, const Numbers& numbers) const {
    return listed(dtype, sizes, numbers, device());
  }

 private:
  OwnDevice own_;
};
INSTANTIATE_TEST_SUITE_P(Where, Joining, testing::Values(false, true),
                         [](const auto& made) { return std::string(made.param ? "Device" : "Host"); });

TEST_P(Joining, CatJoinsAlongADimension) {
  const Tensor one = made(DType::float16, {2, 1}, {1, 2});
  const Tensor other = made(DType::float32, {2, 2}, {3, 4, 5, 6});
  const Tensor joined = cat({one, other, made(DType::int8, {0}, {})}, 1);
  EXPECT_EQ(numbers_of(joined), (Numbers{1, 3, 4, 2, 5, 6}));
  EXPECT_EQ(joined.dtype(), DType::float32);
  EXPECT_EQ(numbers_of(cat({made(DType::int8, {1}, {1}), made(DType::uint8, {1}, {200})})), (Numbers{1, 200}));
  EXPECT_EQ(cat({made(DType::int8, {0}, {}), made(DType::int8, {0}, {})}).sizes(), Sizes{0});
  EXPECT_EQ(error_of([&] { cat({}); }), "torch.cat(): expected a non-empty list of Tensors");
  EXPECT_EQ(error_of([&] {
              cat({one, other});
            }),
            "Sizes of tensors must match except in dimension 0. Expected size 1 but got size 2 for tensor number 1 in "
            "the list.");
  EXPECT_EQ(error_of([&] {
              cat({one, made(DType::float16, {1}, {1})});
            }),
            "Tensors must have same number of dimensions: got 2 and 1");
  EXPECT_EQ(error_of([&] { cat({made(DType::float16, {}, {1})}); }),
            "zero-dimensional tensor (at position 0) cannot be concatenated");
  const Tensor out = made(DType::float64, {0}, {});
  EXPECT_EQ(numbers_of(cat_out({one, one}, 0, out)), (Numbers{1, 2, 1, 2}));
}

TEST_P(Joining, StackMakesADimension) {
  const Tensor one = made(DType::int32, {2}, {1, 2});
  const Tensor other = made(DType::int32, {2}, {3, 4});
  EXPECT_EQ(numbers_of(stack({one, other}, -1)), (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(stack({one, other, one}).sizes(), (Sizes{3, 2}));
  EXPECT_EQ(numbers_of(stack({made(DType::int32, {}, {5}), made(DType::int32, {}, {6})})), (Numbers{5, 6}));
  EXPECT_EQ(error_of([&] {
              stack({one, made(DType::int32, {3}, {1, 2, 3})});
            }),
            "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1");
  EXPECT_EQ(error_of([&] { stack({}); }), "stack expects a non-empty TensorList");
}

}  // namespace
}  // namespace gpucheck::tensor::test
