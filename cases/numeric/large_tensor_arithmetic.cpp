#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::large_tensor_arithmetic {
namespace {

void run(harness::Context& context) {
  need_gpu(context, "2^30 elements");
  const Tensor x = tensor::empty({std::int64_t{1} << 30}, DType::float32, context.runtime());
  tensor::fill_(x, 1);
  context.observe("ones", number_of(tensor::sum(x)));
  tensor::add_(x, 1);
  context.observe("one_more", number_of(tensor::sum(x)));
  tensor::fill_(x, 1);
  tensor::sub_(x, 0.5);
  context.observe("half_less", number_of(tensor::sum(x)));
  tensor::fill_(x, 1);
  tensor::mul_(x, 2);
  context.observe("doubled", number_of(tensor::sum(x)));
  tensor::fill_(x, 1);
  tensor::div_(x, 2);
  context.observe("halved", number_of(tensor::sum(x)));
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.large_tensor_arithmetic",
      .summary = "Arithmetic on 2^30 floats gives sums that are exact",
      .source = "test_cuda.py::TestCuda::test_arithmetic_large_tensor",
      .needs = {.memory_bytes = std::uint64_t{5} << 30},
      .faults = {{.name = "lost_kernels",
                  .summary = "no kernel is run",
                  .plan = fault::kernel_lost(fault::every_call)}},
      .deadline = std::chrono::milliseconds(60'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::large_tensor_arithmetic
