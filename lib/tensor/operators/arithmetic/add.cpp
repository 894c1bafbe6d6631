#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/arithmetic/kernels/arithmetic.hpp"

namespace gpucheck::tensor::operators::in_arithmetic::add {
namespace {

namespace kernels = device::kernels;

void require_alpha(const Scalar& alpha, DType computed) {
  if (alpha.is_boolean() && computed != DType::boolean)
    throw Error("Boolean alpha only supported for Boolean results.");
  if (alpha.is_floating() && is_integral(computed, true)) {
    throw Error("For integral input tensors, argument alpha must not be a floating point number.");
  }
  if (alpha.is_complex() && !is_complex(computed)) {
    throw Error("For non-complex input tensors, argument alpha must not be a complex number.");
  }
}

Tensor compute(const Destination& destination, const Operand& self, const Operand& other, const Scalar& alpha) {
  const Loop loop(destination, {self, other});
  require_alpha(alpha, loop.computed_dtype());
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      loop.computed_dtype(), "add", [&]<typename Number>(std::type_identity<Number>) {
        const auto factor = detail::number_of<Number>(alpha);
        if (factor == Number{1}) return run_pointwise<2, Number>(loop, kernels::Add<Number>{});
        run_pointwise<2, Number>(loop, kernels::AddScaled<Number>{factor});
      });
  return loop.result();
}

Tensor compute_tensor(const Destination& destination, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return compute(destination, self, other, alpha);
}
Tensor compute_scalar(const Destination& destination, const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return compute(destination, self, other, alpha);
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.operations_per_element = 1};
  return joined({structured<&compute_tensor>(traits, AddTensor{}, InPlace<AddTensor>{}, add_out),
                 structured<&compute_scalar>(traits, AddScalar{}, InPlace<AddScalar>{})});
}

}  // namespace gpucheck::tensor::operators::in_arithmetic::add
