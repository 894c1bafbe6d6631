#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::reduction_no_illegal_access {
namespace {

void run(harness::Context& context) {
  const Tensor x = tensor::ones({512, 8}, DType::float32, context.runtime());
  context.observe("sums", numbers_of(tensor::sum(x, 0)));
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.reduction_no_illegal_access",
      .summary = "A sum over the outer dimension of a matrix reads nothing beyond it",
      .source = "test_cuda.py::TestCuda::test_reduction_gpu_memory_accessing",
      .faults = operator_faults(2),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::reduction_no_illegal_access
