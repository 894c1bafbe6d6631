#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::mean_fp16 {
namespace {

void run(harness::Context& context) {
  const Tensor x = tensor::ones({65536}, DType::float16, context.runtime());
  context.observe("mean", number_of(tensor::mean(x)));
  context.observe("mean_as_float32", number_of(tensor::mean(x, DType::float32)));
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.mean_fp16",
      .summary = "The mean of more halves than a half can count is divided once, at the end",
      .source = "test_cuda.py::TestCuda::test_mean_fp16",
      .faults = {{.name = "lost_kernels",
                  .summary = "no mean is made",
                  .plan = fault::kernel_lost(fault::from_call(2))},
                 {.name = "flipped_bit",
                  .summary = "one bit of the ones flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::mean_fp16
