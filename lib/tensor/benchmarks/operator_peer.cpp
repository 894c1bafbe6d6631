#include <cstdio>
#include <memory>

#include "device/launch.hpp"
#include "runtime/runtime.hpp"
#include "tensor/benchmarks/gpu.hpp"
#include "tensor/benchmarks/pytorch/loops.hpp"
#include "tensor/call/layer.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/arithmetic/kernels/arithmetic.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/reductions/reductions.hpp"

/// gpucheck's operators, timed as pytorch_side.cpp times PyTorch's. scripts/compare_with_pytorch --operators runs both.
namespace {

using namespace gpucheck;
using tensor::Tensor;
using namespace operator_loops;

/// Passes calls on.
class PassingLayer : public tensor::Layer {
 public:
  void call(tensor::Call& call, const tensor::Next& next) override { next(call); }
};

void time_host(runtime::Runtime& runtime) {
  const auto synchronize = [&] { runtime.synchronize(); };
  const Tensor a = tensor::ones({small_count}, DType::float32, runtime);
  const Tensor b = tensor::ones({small_count}, DType::float32, runtime);
  const Tensor c = tensor::ones({small_count}, DType::float32, runtime);
  device::kernels::ContiguousPointwise<device::kernels::Add<float>, float, 2> bare{};
  bare.in[0] = a.data_as<float>();
  bare.in[1] = b.data_as<float>();
  bare.out = c.data_as<float>();
  bare.elements = small_count;
  print("bare launch, ns",
        host_ns(
            [&] {
              static_cast<void>(device::launch(runtime.device(), bare, bare.invocations(), runtime.current_stream()));
            },
            synchronize));
  print("add of 1024 floats, ns", host_ns([&] { static_cast<void>(tensor::add(a, b)); }, synchronize));
  print("add_ of 1024 floats, ns", host_ns([&] { tensor::add_(c, b); }, synchronize));
  print("add of a number, ns", host_ns([&] { static_cast<void>(tensor::add(a, 1)); }, synchronize));
  print("sum of 1024 floats, ns", host_ns([&] { static_cast<void>(tensor::sum(a)); }, synchronize));
  PassingLayer layer;
  const tensor::LayerScope observe(tensor::LayerKind::observe, layer);
  const tensor::LayerScope autocast(tensor::LayerKind::autocast, layer);
  const tensor::LayerScope autograd(tensor::LayerKind::autograd, layer);
  print("add with three layers, ns", host_ns([&] { static_cast<void>(tensor::add(a, b)); }, synchronize));
}

void time_device(runtime::Runtime& runtime, DType dtype) {
  const auto synchronize = [&] { runtime.synchronize(); };
  const bool is_float = dtype == DType::float32;
  const Tensor x = tensor::ones({large_count}, dtype, runtime);
  const Tensor y = tensor::ones({large_count}, dtype, runtime);
  const Tensor out = tensor::empty({large_count}, dtype, runtime);
  const double bytes = static_cast<double>(large_count) * static_cast<double>(element_bytes(dtype));
  print(is_float ? "copy of 2^28 floats, GB/s" : "copy of 2^28 halves, GB/s",
        gigabytes_a_second(
            2 * bytes, [&] { tensor::copy_(out, x); }, synchronize));
  print(is_float ? "add of 2^28 floats, GB/s" : "add of 2^28 halves, GB/s",
        gigabytes_a_second(
            3 * bytes, [&] { tensor::add_out(x, y, 1, out); }, synchronize));
  print(is_float ? "sum of 2^28 floats, GB/s" : "sum of 2^28 halves, GB/s",
        gigabytes_a_second(
            bytes, [&] { static_cast<void>(tensor::sum(x)); }, synchronize));
  constexpr std::int64_t side = 1 << 14;
  const Tensor matrix = x.with_geometry({{side, side}, {side, 1}, 0});
  print(is_float ? "sum over rows, floats, GB/s" : "sum over rows, halves, GB/s",
        gigabytes_a_second(
            bytes, [&] { static_cast<void>(tensor::sum(matrix, 0)); }, synchronize));
  print(is_float ? "sum over columns, floats, GB/s" : "sum over columns, halves, GB/s",
        gigabytes_a_second(
            bytes, [&] { static_cast<void>(tensor::sum(matrix, 1)); }, synchronize));
  const Tensor transposed = x.with_geometry({{side, side}, {1, side}, 0});
  const Tensor out_matrix = out.with_geometry({{side, side}, {side, 1}, 0});
  print(is_float ? "transposed copy, floats, GB/s" : "transposed copy, halves, GB/s",
        gigabytes_a_second(
            2 * bytes, [&] { tensor::copy_(out_matrix, transposed); }, synchronize));
}

}  // namespace

int main() {
  const auto driver = benchmarks::make_gpu_driver();
  if (driver == nullptr || driver->device_count().value() == 0) {
    std::fputs("no GPU, or a build without CUDA\n", stderr);
    return 1;
  }
  const auto device = driver->open(0).value();
  runtime::Runtime runtime(*device);
  const runtime::CurrentStreamGuard stream(runtime, runtime.streams().next());
  time_host(runtime);
  time_device(runtime, DType::float32);
  time_device(runtime, DType::float16);
  return 0;
}
