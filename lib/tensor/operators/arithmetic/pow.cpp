#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/arithmetic/kernels/arithmetic.hpp"
#include "tensor/operators/arithmetic/kernels/powers.hpp"
#include "tensor/operators/arithmetic/kernels/unary_arithmetic.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/operands.hpp"

namespace gpucheck::tensor::operators::in_arithmetic::pow {
namespace {

namespace kernels = device::kernels;

template <typename Base, typename Exponent>
Tensor raise(const Destination& destination, const Base& base, const Exponent& exponent) {
  const DType computed = common_dtype(base, exponent);
  const auto raised = as_computed(base, computed);
  const auto power = as_computed(exponent, computed);
  const Loop loop(destination, {raised, power}, {.computed_dtype = computed});
  if (computed == DType::boolean) refuse_dtype("pow_cuda", computed);
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      computed, "pow_cuda",
      [&]<typename Number>(std::type_identity<Number>) { run_pointwise<2, Number>(loop, kernels::Power<Number>{}); });
  return loop.result();
}

/// The destination with the shape, filled with a number.
Tensor filled(const Destination& destination, const Tensor& shape, DType computed, const Scalar& number) {
  const Loop loop(destination, {shape}, {.computed_dtype = computed});
  fill_(loop.result(), number);
  return loop.result();
}

Tensor multiplied(const Destination& destination, const Tensor& self, DType computed) {
  const Loop loop(destination, {self, self}, {.computed_dtype = computed});
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      computed, "pow_cuda",
      [&]<typename Number>(std::type_identity<Number>) { run_pointwise<2, Number>(loop, kernels::Mul<Number>{}); });
  return loop.result();
}

Tensor rooted(const Destination& destination, const Tensor& self, DType computed, kernels::UnaryOperation operation) {
  const Loop loop(destination, {self}, {.computed_dtype = computed});
  with_number<float, double, kernels::Complex<float>, kernels::Complex<double>>(
      computed, "pow_cuda", [&]<typename Number>(std::type_identity<Number>) {
        run_pointwise<1, Number>(loop, kernels::UnaryArithmetic<Number>{operation});
      });
  return loop.result();
}

Tensor raise_tensors(const Destination& destination, const Tensor& self, const Tensor& exponent) {
  return raise(destination, self, exponent);
}

Tensor raise_to_scalar(const Destination& destination, const Tensor& self, const Scalar& exponent) {
  if (is_integral(self.dtype(), true) && exponent.is_integral() && exponent.to_int() < 0) {
    throw Error("Integers to negative integer powers are not allowed.");
  }
  const DType computed = common_dtype(self, exponent);
  const auto is = [&](double number) { return exponent.to_complex() == Scalar::Complex(number); };
  if (is(0)) return filled(destination, self, computed, 1);
  if (is(2) && computed != DType::boolean) return multiplied(destination, self, computed);
  if (!is_integral(computed, true) && is(0.5)) {
    return rooted(destination, self, computed, kernels::UnaryOperation::sqrt);
  }
  if (!is_integral(computed, true) && is(-0.5)) {
    return rooted(destination, self, computed, kernels::UnaryOperation::rsqrt);
  }
  if (computed == DType::boolean) return multiplied(destination, self, computed);  // to the power of true
  return raise(destination, self, exponent);
}

Tensor raise_scalar(const Destination& destination, const Scalar& self, const Tensor& exponent) {
  if (self.to_complex() == Scalar::Complex(1)) return filled(destination, exponent, common_dtype(self, exponent), 1);
  return raise(destination, self, exponent);
}

Tensor square(const Tensor& self) { return tensor::pow(self, 2); }
Tensor square_in_place(const Tensor& self) { return pow_(self, 2); }
Tensor square_into(const Tensor& self, const Tensor& out) { return pow_out(self, 2, out); }

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.autocast = AutocastPolicy::float32, .operations_per_element = 1};
  const Traits composite{.is_composite = true, .operations_per_element = 1};
  return joined({structured<&raise_tensors>(traits, PowTensorTensor{}, PowTensorInPlace{},
                                            Out<PowTensorTensor, "Tensor_Tensor_out">{}),
                 structured<&raise_to_scalar>(traits, PowTensorScalar{}, PowScalarInPlace{},
                                              Out<PowTensorScalar, "Tensor_Scalar_out">{}),
                 structured<&raise_scalar>(traits, PowScalar{}, Out<PowScalar, "Scalar_out">{}),
                 {Square::entry<&square>(composite), InPlace<Square>::entry<&square_in_place>(composite),
                  Out<Square, "out">::entry<&square_into>(composite)}});
}

}  // namespace gpucheck::tensor::operators::in_arithmetic::pow
