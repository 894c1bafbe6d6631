#include "tensor/view_ops.hpp"

#include <fmt/format.h>

#include "device/launch.hpp"
#include "tensor/kernels/views.hpp"

namespace gpucheck::tensor::ops {
namespace {

namespace kernels = device::kernels;

void require_three_dimensions(View<const float> view, std::string_view name) {
  if (view.layout.rank != 3) throw ShapeError(fmt::format("{} must be a 3D tensor", name));
}

}  // namespace

void add(Runtime& runtime, View<const float> a, View<const float> b, View<float> out, device::Stream stream) {
  const Shape shape = shape_of(out.layout);
  a.layout = expand_layout(a.layout, shape);
  b.layout = expand_layout(b.layout, shape);
  device::check(device::launch(runtime.device(), kernels::AddViews{a, b, out}, out.layout.count(), stream),
                kernels::AddViews::name);
}

Buffer<float> add(Runtime& runtime, View<const float> a, View<const float> b, device::Stream stream) {
  const Layout layout = contiguous_layout(broadcast_shapes(shape_of(a.layout), shape_of(b.layout)));
  Buffer<float> sum(runtime, layout.count(), stream);
  add(runtime, a, b, {sum.data(), layout}, stream);
  return sum;
}

Buffer<float> bmm(Runtime& runtime, View<const float> a, View<const float> b, device::Stream stream) {
  require_three_dimensions(a, "batch1");
  require_three_dimensions(b, "batch2");
  const auto& left = a.layout.sizes;
  const auto& right = b.layout.sizes;
  if (left[0] != right[0] || left[2] != right[1]) {
    throw ShapeError(
        fmt::format("Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
                    left[0], left[2], right[0], right[1]));
  }
  const Layout layout = contiguous_layout({left[0], left[1], right[2]});
  Buffer<float> product(runtime, layout.count(), stream);
  const auto kernel = kernels::MultiplyMatrices{a, b, {product.data(), layout}};
  device::check(device::launch(runtime.device(), kernel, layout.count(), stream), kernel.name);
  return product;
}

Buffer<float> matmul(Runtime& runtime, View<const float> a, View<const float> b, device::Stream stream) {
  require_three_dimensions(a, "matmul: the first operand");
  require_three_dimensions(b, "matmul: the second operand");
  const std::size_t matrices = broadcast_shapes({a.layout.sizes[0]}, {b.layout.sizes[0]})[0];
  a.layout = expand_layout(a.layout, {matrices, a.layout.sizes[1], a.layout.sizes[2]});
  b.layout = expand_layout(b.layout, {matrices, b.layout.sizes[1], b.layout.sizes[2]});
  return bmm(runtime, a, b, stream);
}

}  // namespace gpucheck::tensor::ops
