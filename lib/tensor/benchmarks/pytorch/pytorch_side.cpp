#include <ATen/ATen.h>
#include <c10/cuda/CUDAFunctions.h>

#include "loops.hpp"

// PyTorch's operators, called from C++ as their eager mode does: no Python in between, gradients not wanted.
int main() {
  using namespace operator_loops;
  const at::InferenceMode mode;
  const auto on_gpu = at::TensorOptions().device(at::kCUDA).dtype(at::kFloat);
  const auto synchronize = [] { c10::cuda::device_synchronize(); };
  const auto a = at::ones({small_count}, on_gpu);
  const auto b = at::ones({small_count}, on_gpu);
  print("add of 1024 floats, ns", host_ns([&] { at::add(a, b); }, synchronize));
  auto c = at::ones({small_count}, on_gpu);
  print("add_ of 1024 floats, ns", host_ns([&] { c.add_(b); }, synchronize));
  print("add of a number, ns", host_ns([&] { at::add(a, 1); }, synchronize));
  print("sum of 1024 floats, ns", host_ns([&] { at::sum(a); }, synchronize));
  const double bytes = static_cast<double>(large_count);
  for (const auto type : {at::kFloat, at::kHalf}) {
    const auto x = at::ones({large_count}, on_gpu.dtype(type));
    const auto y = at::ones({large_count}, on_gpu.dtype(type));
    auto out = at::empty_like(x);
    const double size = static_cast<double>(x.element_size());
    const bool is_float = type == at::kFloat;
    print(is_float ? "copy of 2^28 floats, GB/s" : "copy of 2^28 halves, GB/s",
          gigabytes_a_second(
              2 * size * bytes, [&] { out.copy_(x); }, synchronize));
    print(is_float ? "add of 2^28 floats, GB/s" : "add of 2^28 halves, GB/s",
          gigabytes_a_second(
              3 * size * bytes, [&] { at::add_out(out, x, y); }, synchronize));
    print(is_float ? "sum of 2^28 floats, GB/s" : "sum of 2^28 halves, GB/s",
          gigabytes_a_second(
              size * bytes, [&] { at::sum(x); }, synchronize));
    const auto matrix = x.view({1L << 14, 1L << 14});
    print(is_float ? "sum over rows, floats, GB/s" : "sum over rows, halves, GB/s",
          gigabytes_a_second(
              size * bytes, [&] { at::sum(matrix, {0}); }, synchronize));
    print(is_float ? "sum over columns, floats, GB/s" : "sum over columns, halves, GB/s",
          gigabytes_a_second(
              size * bytes, [&] { at::sum(matrix, {1}); }, synchronize));
    print(is_float ? "transposed copy, floats, GB/s" : "transposed copy, halves, GB/s",
          gigabytes_a_second(
              2 * size * bytes,
              [&] {
                out.view({1L << 14, 1L << 14}).copy_(matrix.t());
              },
              synchronize));
  }
}
