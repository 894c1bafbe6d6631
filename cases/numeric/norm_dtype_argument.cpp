#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::norm_dtype_argument {
namespace {

void run(harness::Context& context) {
  const Tensor a = tensor::ones({65536}, DType::float16, context.runtime());
  const Tensor norm = tensor::norm(a, tensor::Scalar(0), DType::float32);
  context.observe("type", type_and_place(norm));
  context.observe("norm", number_of(norm));
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.norm_dtype_argument",
      .summary = "A norm that counts elements is of the type that was asked for, where halves cannot hold it",
      .source = "test_cuda.py::TestCuda::test_norm_type_conversion",
      .faults = operator_faults(2),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::norm_dtype_argument
