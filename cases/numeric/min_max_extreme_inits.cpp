#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::min_max_extreme_inits {
namespace {

void run(harness::Context& context) {
  const Device device = context.runtime();
  const Tensor least = tensor::to(tensor::from_values<std::uint8_t>({0}, {1}, DType::uint8), device);
  const Tensor greatest = tensor::to(tensor::from_values<std::uint8_t>({255}, {1}, DType::uint8), device);
  const auto [max, argmax] = tensor::max(least, 0);
  const auto [min, argmin] = tensor::min(greatest, 0);
  context.observe("max_of_0", tensor::item(max).to_int());
  context.observe("argmax_of_0", tensor::item(argmax).to_int());
  context.observe("min_of_255", tensor::item(min).to_int());
  context.observe("argmin_of_255", tensor::item(argmin).to_int());
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.min_max_extreme_inits",
      .summary = "An extreme element wins over what a reduction begins with, though it is equal to it",
      .source = "test_cuda.py::TestCuda::test_min_max_inits",
      .faults = {{.name = "flipped_bits",
                  .summary = "one bit of what each kernel wrote flips",
                  .plan = fault::kernel_flips_bit(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::min_max_extreme_inits
