#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::tiny_half_norm {
namespace {

void run(harness::Context& context) {
  const Device device = context.runtime();
  const Tensor a = tensor::div(tensor::to(tensor::to(tensor::arange(0, 25), device), DType::float32), 100000000);
  const Tensor b = tensor::to(a, DType::float16);
  context.observe("norm", number_of(tensor::norm(b)));
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.tiny_half_norm",
      .summary =
          "The norm of halves that are nearly zero is not zero: squares are added up in float32, and small numbers "
          "kept",
      .source = "test_cuda.py::TestCuda::test_tiny_half_norm_",
      .faults = operator_faults(4),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::tiny_half_norm
