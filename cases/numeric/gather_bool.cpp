#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::gather_bool {
namespace {

void run(harness::Context& context) {
  const Device device = context.runtime();
  const Tensor t = tensor::to(tensor::from_values<bool>({false, true, true, true}, {2, 2}, DType::boolean), device);
  const Tensor index = tensor::to(tensor::from_values<std::int64_t>({0, 0, 1, 0}, {2, 2}, DType::int64), device);
  const Tensor gathered = tensor::gather(t, 1, index);
  context.observe("type", type_and_place(gathered));
  context.observe("gathered", numbers_of(gathered));
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.gather_bool",
      .summary = "Booleans gathered along a dimension are those that the index names",
      .source = "test_cuda.py::TestCuda::test_gather_bool",
      .faults = operator_faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::gather_bool
