#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::sum_fp16 {
namespace {

/// Ones with a probability of 0.0005, on the host, as halves on the device.
Tensor rare_ones(const tensor::Sizes& sizes, Device device) {
  return tensor::to(tensor::to(tensor::bernoulli_(tensor::empty(sizes), 0.0005), DType::float16), device);
}

void run(harness::Context& context) {
  const Device device = context.runtime();
  context.observe("sum_of_zeros", number_of(tensor::sum(tensor::zeros({10}, DType::float16, device))));
  const Tensor most = tensor::ones({65504}, DType::float16, device);
  context.observe("sum_of_65504", number_of(tensor::sum(most)));
  context.observe("sum_of_65504_as_float32", number_of(tensor::sum(most, DType::float32)));
  const Tensor more = tensor::ones({65536}, DType::float16, device);
  context.observe("sum_of_65536_as_float32", number_of(tensor::sum(more, DType::float32)));
  const Tensor rare = rare_ones({1203611}, device);
  const Tensor on_host = tensor::to(tensor::to(rare, tensor::host), DType::float32);
  context.observe("rare_ones_off_by", number_of(tensor::sum(rare)) - number_of(tensor::sum(on_host)));
  const Tensor box = rare_ones({100, 121, 80}, device);
  const Tensor box_on_host = tensor::to(tensor::to(box, tensor::host), DType::float32);
  context.observe("wrong_sums_over_outer_and_inner",
                  differing(tensor::to(tensor::sum(box, {0, 2}), DType::float32), tensor::sum(box_on_host, {0, 2})));
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.sum_fp16",
      .summary =
          "Sums of halves are added up in float32: exact where float32 is, and within range where halves are not",
      .source = "test_cuda.py::TestCuda::test_sum_fp16",
      .faults = {{.name = "lost_kernel", .summary = "no sum is made", .plan = fault::kernel_lost(fault::every_call)},
                 {.name = "flipped_bit_of_zeros",
                  .summary = "a bit of the first tensor flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(1))}},
      .deadline = std::chrono::milliseconds(60'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::sum_fp16
