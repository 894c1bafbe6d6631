#include "tensor/view.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "runtime/tests/simulated.hpp"
#include "tensor/view_ops.hpp"

namespace gpucheck::tensor::test {
namespace {

using runtime::test::Simulated;

template <typename Action>
std::string shape_error(Action&& action) {
  try {
    action();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "";
}

class Views : public testing::Test {
 protected:
  Buffer<float> upload(const std::vector<float>& values) {
    Buffer<float> buffer(runtime, values.size(), stream);
    device::check(machine.device().copy(buffer.data(), values.data(), buffer.size_bytes(),
                                        device::CopyKind::host_to_device, stream),
                  "copy");
    return buffer;
  }
  std::vector<float> download(const Buffer<float>& buffer) {
    std::vector<float> values(buffer.size());
    device::check(machine.device().copy(values.data(), buffer.data(), buffer.size_bytes(),
                                        device::CopyKind::device_to_host, stream),
                  "copy");
    device::check(machine.device().synchronize(stream), "synchronize");
    return values;
  }
  std::int64_t allocations() { return machine.allocator().stats().allocation.all.allocated; }

  Simulated machine;
  Runtime& runtime = machine.runtime();
  device::Stream stream = machine.side_stream();
};

TEST(Layout, OfContiguousElements) {
  const Layout layout = contiguous_layout({2, 3, 4});
  EXPECT_EQ(layout.strides[0], 12U);
  EXPECT_EQ(layout.strides[1], 4U);
  EXPECT_EQ(layout.strides[2], 1U);
  EXPECT_EQ(layout.count(), 24U);
  EXPECT_EQ(layout.extent(), 24U);
  EXPECT_EQ(layout.offset(23), 23U);
  EXPECT_EQ(contiguous_layout({3, 0}).extent(), 0U);
  EXPECT_EQ(contiguous_layout({}).count(), 1U);
  EXPECT_EQ(contiguous_layout({1, 2, 1, 3}).count(), 6U);
  EXPECT_EQ(shape_error([] {
              static_cast<void>(contiguous_layout({1, 1, 1, 1, 1}));
            }),
            "5 dimensions are more than a view can have (4)");
  EXPECT_EQ(shape_error([] {
              static_cast<void>(expand_layout(contiguous_layout({2, 3}), {3}));
            }),
            "expand: the number of sizes provided (1) must be greater or equal to the number of dimensions in the "
            "tensor (2)");
}

TEST(Layout, ExpandedRepeatsWhatIsThere) {
  const Layout layout = expand_layout(contiguous_layout({3, 1}), {2, 3, 4});
  EXPECT_EQ(shape_of(layout), (Shape{2, 3, 4}));
  EXPECT_EQ(layout.count(), 24U);
  EXPECT_EQ(layout.extent(), 3U);
  EXPECT_EQ(layout.offset(11), 2U);
  EXPECT_EQ(layout.offset(12), 0U);
  EXPECT_EQ(
      shape_error([] {
        static_cast<void>(expand_layout(contiguous_layout({3, 1}), {4, 1}));
      }),
      "The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 0.  Target "
      "sizes: [4, 1].  Tensor sizes: [3, 1]");
  EXPECT_NE(shape_error([] { static_cast<void>(expand_layout(contiguous_layout({3, 1}), {3})); }), "");
}

TEST(Shape, Broadcast) {
  EXPECT_EQ(broadcast_shapes({3, 1}, {1, 4}), (Shape{3, 4}));
  EXPECT_EQ(broadcast_shapes({4}, {2, 3, 1}), (Shape{2, 3, 4}));
  EXPECT_EQ(broadcast_shapes({1}, {0}), (Shape{0}));
  EXPECT_EQ(shape_error([] {
              static_cast<void>(broadcast_shapes({3, 1}, {2, 1}));
            }),
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0");
  EXPECT_EQ(shape_error([] {
              static_cast<void>(broadcast_shapes({3}, {2, 4}));
            }),
            "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
}

TEST_F(Views, Add) {
  const Buffer<float> column = upload({1, 2, 3});
  const Buffer<float> row = upload({10, 20});
  const Buffer<float> sum =
      ops::add(runtime, {column.data(), contiguous_layout({3, 1})}, {row.data(), contiguous_layout({2})}, stream);
  EXPECT_EQ(download(sum), (std::vector<float>{11, 21, 12, 22, 13, 23}));
}

TEST_F(Views, AddInPlaceAndInStrides) {
  Buffer<float> target = upload({1, 2, 3, 4, 5, 6});
  const Buffer<float> one = upload({100});
  const Layout every_third{.rank = 1, .sizes = {2}, .strides = {3}};
  ops::add(runtime, View<const float>{target.data(), every_third}, {one.data(), contiguous_layout({1})},
           {target.data(), every_third}, stream);
  EXPECT_EQ(download(target), (std::vector<float>{101, 2, 3, 104, 5, 6}));
}

TEST_F(Views, WhatDoesNotFitIsNeitherAllocatedNorLaunched) {
  const Buffer<float> data = upload({1, 2, 3});
  const std::int64_t before = allocations();
  const View<const float> a{data.data(), contiguous_layout({3, 1})};
  const View<const float> b{data.data(), contiguous_layout({2, 1})};
  EXPECT_EQ(shape_error([&] { static_cast<void>(ops::add(runtime, a, b, stream)); }),
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0");
  EXPECT_EQ(allocations(), before);
}

// [1 2; 3 4] [5 6; 7 8] = [19 22; 43 50], with the second also read transposed.
TEST_F(Views, ProductsOfMatrices) {
  const Buffer<float> left = upload({1, 2, 3, 4});
  const Buffer<float> right = upload({5, 6, 7, 8});
  const View<const float> a{left.data(), contiguous_layout({1, 2, 2})};
  EXPECT_EQ(download(ops::bmm(runtime, a, {right.data(), contiguous_layout({1, 2, 2})}, stream)),
            (std::vector<float>{19, 22, 43, 50}));
  const Layout transposed{.rank = 3, .sizes = {1, 2, 2}, .strides = {4, 1, 2}};
  EXPECT_EQ(download(ops::bmm(runtime, a, {right.data(), transposed}, stream)), (std::vector<float>{17, 23, 39, 53}));
}

TEST_F(Views, OneMatrixTimesMany) {
  const Buffer<float> one = upload({1, 2, 3, 4});
  const Buffer<float> columns = upload({1, 0, 0, 1, 1, 1});
  const std::int64_t before = allocations();
  const Buffer<float> product = ops::matmul(runtime, {one.data(), contiguous_layout({1, 2, 2})},
                                            {columns.data(), contiguous_layout({3, 2, 1})}, stream);
  EXPECT_EQ(download(product), (std::vector<float>{1, 3, 2, 4, 3, 7}));
  EXPECT_EQ(allocations(), before + 1);  // the product, and no copy
}

TEST_F(Views, SumsInOrderWithFusedSteps) {
  std::vector<float> left(300);
  std::vector<float> right(300);
  float expected = 0.0F;
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = 1.0F / static_cast<float>(i + 1);
    right[i] = i % 2 == 0 ? 1e6F : -0.3F;
    expected = std::fma(left[i], right[i], expected);
  }
  const Buffer<float> a = upload(left);
  const Buffer<float> b = upload(right);
  EXPECT_EQ(download(ops::bmm(runtime, {a.data(), contiguous_layout({1, 1, 300})},
                              {b.data(), contiguous_layout({1, 300, 1})}, stream)),
            std::vector<float>{expected});
}

// Texts: PyTorch's.
TEST_F(Views, MatricesThatDoNotFit) {
  const Buffer<float> data = upload(std::vector<float>(24));
  const auto view = [&](const Shape& shape) { return View<const float>{data.data(), contiguous_layout(shape)}; };
  const auto of_bmm = [&](const Shape& a, const Shape& b) {
    return shape_error([&] { static_cast<void>(ops::bmm(runtime, view(a), view(b), stream)); });
  };
  const auto of_matmul = [&](const Shape& a, const Shape& b) {
    return shape_error([&] { static_cast<void>(ops::matmul(runtime, view(a), view(b), stream)); });
  };
  EXPECT_EQ(of_bmm({1, 2, 3}, {1, 2, 3}),
            "Expected size for first two dimensions of batch2 tensor to be: [1, 3] but got: [1, 2].");
  EXPECT_EQ(of_bmm({1, 2, 3}, {2, 3, 4}),
            "Expected size for first two dimensions of batch2 tensor to be: [1, 3] but got: [2, 3].");
  EXPECT_EQ(of_bmm({2, 3}, {1, 3, 2}), "batch1 must be a 3D tensor");
  EXPECT_EQ(of_bmm({1, 2, 3}, {3, 2}), "batch2 must be a 3D tensor");
  EXPECT_EQ(of_matmul({2, 3}, {1, 3, 2}), "matmul: the first operand must be a 3D tensor");
  EXPECT_EQ(of_matmul({1, 2, 3}, {3, 2}), "matmul: the second operand must be a 3D tensor");
  EXPECT_EQ(of_matmul({1, 2, 3}, {2, 2, 3}),
            "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 2].");
  EXPECT_EQ(of_matmul({2, 2, 3}, {3, 3, 2}),
            "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
}

}  // namespace
}  // namespace gpucheck::tensor::test
