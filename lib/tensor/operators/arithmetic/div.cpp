#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/arithmetic/kernels/arithmetic.hpp"

namespace gpucheck::tensor::operators::in_arithmetic::div {
namespace {

namespace kernels = device::kernels;

template <typename Other>
Tensor compute(const Destination& destination, const Tensor& self, const Other& other) {
  const Loop loop(destination, {self, other}, {.whole_to_float = true});
  with_number<float, double, kernels::Complex<float>, kernels::Complex<double>>(
      loop.computed_dtype(), "div_true_cuda",
      [&]<typename Number>(std::type_identity<Number>) { run_pointwise<2, Number>(loop, kernels::Div<Number>{}); });
  return loop.result();
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.operations_per_element = 1};
  return joined({structured<&compute<Tensor>>(traits, DivTensor{}, InPlace<DivTensor>{}, div_out),
                 structured<&compute<Scalar>>(traits, DivScalar{}, InPlace<DivScalar>{})});
}

}  // namespace gpucheck::tensor::operators::in_arithmetic::div
