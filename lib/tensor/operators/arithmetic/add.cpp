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

/// self + sign alpha other
Tensor compute(const Destination& destination, const Operand& self, const Operand& other, const Scalar& alpha,
               int sign) {
  const Loop loop(destination, {self, other});
  require_alpha(alpha, loop.computed_dtype());
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      loop.computed_dtype(), "add_cuda", [&]<typename Number>(std::type_identity<Number>) {
        const auto given = detail::number_of<Number>(alpha);
        const Number factor = sign < 0 ? kernels::product_of(detail::number_of<Number>(Scalar(-1)), given) : given;
        if (factor == detail::number_of<Number>(Scalar(1))) {
          return run_pointwise<2, Number>(loop, kernels::Add<Number>{});
        }
        run_pointwise<2, Number>(loop, kernels::AddScaled<Number>{factor});
      });
  return loop.result();
}

Tensor add_tensor(const Destination& destination, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return compute(destination, self, other, alpha, 1);
}
Tensor add_scalar(const Destination& destination, const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return compute(destination, self, other, alpha, 1);
}

void require_no_boolean(bool first, bool second) {
  if (first && second) {
    throw Error(
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
        "operator "
        "instead.");
  }
  if (first || second) {
    throw Error(
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use "
        "the `~` or `logical_not()` operator instead.");
  }
}

Tensor sub_tensor(const Destination& destination, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  require_no_boolean(self.dtype() == DType::boolean, other.dtype() == DType::boolean);
  return compute(destination, self, other, alpha, -1);
}
Tensor sub_scalar(const Destination& destination, const Tensor& self, const Scalar& other, const Scalar& alpha) {
  require_no_boolean(self.dtype() == DType::boolean, other.is_boolean());
  return compute(destination, self, other, alpha, -1);
}
Tensor rsub_tensor(const Destination& destination, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return sub_tensor(destination, other, self, alpha);
}
Tensor rsub_scalar(const Destination& destination, const Tensor& self, const Scalar& other, const Scalar& alpha) {
  require_no_boolean(self.dtype() == DType::boolean, other.is_boolean());
  return compute(destination, other, self, alpha, -1);
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.operations_per_element = 1};
  return joined({structured<&add_tensor>(traits, AddTensor{}, InPlace<AddTensor>{}, add_out),
                 structured<&add_scalar>(traits, AddScalar{}, InPlace<AddScalar>{}),
                 structured<&sub_tensor>(traits, SubTensor{}, InPlace<SubTensor>{}, sub_out),
                 structured<&sub_scalar>(traits, SubScalar{}, InPlace<SubScalar>{}),
                 structured<&rsub_tensor>(traits, RsubTensor{}), structured<&rsub_scalar>(traits, RsubScalar{})});
}

}  // namespace gpucheck::tensor::operators::in_arithmetic::add
