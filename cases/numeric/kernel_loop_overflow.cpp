#include "cases/numeric/support.hpp"
#include "tensor/operators/layers/layers.hpp"

namespace gpucheck::cases::in_numeric::kernel_loop_overflow {
namespace {

void run(harness::Context& context) {
  need_gpu(context, "2^30 elements");
  constexpr std::int64_t width = (std::int64_t{1} << 30) + 1;
  const Tensor x = tensor::randn({1, 1, 1, width}, DType::float16, context.runtime());
  const Tensor y = tensor::avg_pool2d(x, {1});
  const auto last = [&](const Tensor& of) { return tensor::select(of, 3, width - 1); };
  context.observe("last_differs", differing(last(y), last(x)));
  context.observe("wrong_elements", tensor::item(tensor::sum(tensor::ne(y, x))).to_int());
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.kernel_loop_overflow",
      .summary = "A kernel over more than 2^30 elements reaches the last one, and no further",
      .source = "test_cuda.py::TestCuda::test_cuda_kernel_loop_overflow",
      .needs = {.memory_bytes = std::uint64_t{9} << 30},
      .faults = {{.name = "lost_kernel",
                  .summary = "the pooling is never run",
                  .plan = fault::kernel_lost(fault::nth_call(3))}},
      .deadline = std::chrono::milliseconds(60'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::kernel_loop_overflow
