#include "cases/numeric/support.hpp"
#include "tensor/operators/layers/layers.hpp"

namespace gpucheck::cases::in_numeric::kernel_loop_overflow_large {
namespace {

void run(harness::Context& context) {
  need_gpu(context, "2^31 elements");
  const Device device = context.runtime();
  constexpr std::int64_t too_wide = std::int64_t{1} << 31;
  {
    const Tensor x = tensor::empty({1, 1, 1, too_wide}, DType::float16, device);
    context.observe("refusal", error_text<Error>([&] { static_cast<void>(tensor::avg_pool2d(x, {1})); }));
  }
  const Tensor x = tensor::randn({1, 1, 1, too_wide - 1}, DType::float16, device);
  const Tensor y = tensor::avg_pool2d(x, {1});
  const auto last = [&](const Tensor& of) { return tensor::select(of, 3, too_wide - 2); };
  context.observe("last_differs", differing(last(y), last(x)));
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.kernel_loop_overflow_large",
      .summary = "A kernel over 2^31 - 1 elements reaches the last one; one more is refused",
      .source = "test_cuda.py::TestCuda::test_cuda_kernel_loop_overflow_large",
      .needs = {.memory_bytes = std::uint64_t{13} << 30},
      .faults = {{.name = "lost_kernel",
                  .summary = "the pooling is never run",
                  .plan = fault::kernel_lost(fault::nth_call(3))}},
      .deadline = std::chrono::milliseconds(60'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::kernel_loop_overflow_large
