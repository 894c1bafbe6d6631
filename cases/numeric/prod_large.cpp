#include <fmt/format.h>

#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::prod_large {
namespace {

void run(harness::Context& context) {
  const Device device = context.runtime();
  const Tensor x = tensor::ones({240000}, DType::float32, device);
  context.observe("product_of_ones", number_of(tensor::prod(x)));
  for (const DType dtype : {DType::complex64, DType::complex128}) {
    const Tensor units = tensor::mul(tensor::ones({240000}, dtype, device), tensor::Scalar::Complex(0, 1));
    const auto product = tensor::item(tensor::prod(units)).to_complex();
    context.observe(fmt::format("product_in_{}", to_text(dtype)), std::vector<double>{product.real(), product.imag()});
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.prod_large",
      .summary = "A product over many blocks begins with one in each, also of complex numbers",
      .source = "test_cuda.py::TestCuda::test_prod_large",
      .faults = {{.name = "lost_kernel",
                  .summary = "no product is made",
                  .plan = fault::kernel_lost(fault::every_call)},
                 {.name = "flipped_bit",
                  .summary = "one bit of the ones flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::prod_large
