#include "tensor/call/structured.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/arithmetic/kernels/unary_arithmetic.hpp"

namespace gpucheck::tensor::operators::in_arithmetic::unary {
namespace {

namespace kernels = device::kernels;
using kernels::UnaryOperation;

Tensor run(const Loop& loop, UnaryOperation operation, std::string_view name) {
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      loop.computed_dtype(), name, [&]<typename Number>(std::type_identity<Number>) {
        run_pointwise<1, Number>(loop, kernels::UnaryArithmetic<Number>{operation});
      });
  return loop.result();
}

Tensor compute_neg(const Destination& destination, const Tensor& self) {
  if (self.dtype() == DType::boolean) {
    throw Error(
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the "
        "`~` "
        "or `logical_not()` operator instead.");
  }
  return run(Loop(destination, {self}), UnaryOperation::neg, "neg_cuda");
}

Tensor compute_abs(const Destination& destination, const Tensor& self) {
  if (!is_complex(self.dtype())) return run(Loop(destination, {self}), UnaryOperation::abs, "abs_cuda");
  if (destination.form == Form::in_place) throw Error("In-place abs is not supported for complex tensors.");
  const DType real = self.dtype() == DType::complex64 ? DType::float32 : DType::float64;
  const Tensor& out = destination.tensor;
  if (out.defined() && !can_cast(real, out.dtype())) refuse_cast(real, out.dtype());
  const Loop loop(destination, {self}, {.result_dtype = real, .computed_dtype = self.dtype()});
  with_number<kernels::Complex<float>, kernels::Complex<double>>(
      self.dtype(), "abs_cuda", [&]<typename Number>(std::type_identity<Number>) {
        run_pointwise<1, Number>(loop, kernels::Magnitude<Number>{});
      });
  return loop.result();
}

Tensor compute_sign(const Destination& destination, const Tensor& self) {
  if (is_complex(self.dtype())) {
    throw Error("Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.");
  }
  return run(Loop(destination, {self}), UnaryOperation::sign, "sign_cuda");
}

/// Whole numbers give a floating result.
template <UnaryOperation operation>
Tensor compute_floating(const Destination& destination, const Tensor& self) {
  return run(Loop(destination, {self}, {.whole_to_float = true}), operation, "unary_cuda");
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.operations_per_element = 1};
  const Traits in_float32{.autocast = AutocastPolicy::float32, .operations_per_element = 1};
  return joined(
      {structured<&compute_neg>(traits, Neg{}, InPlace<Neg>{}, neg_out),
       structured<&compute_abs>(traits, Abs{}, InPlace<Abs>{}, abs_out),
       structured<&compute_sign>(traits, Sign{}, InPlace<Sign>{}, sign_out),
       structured<&compute_floating<UnaryOperation::reciprocal>>(in_float32, Reciprocal{}, InPlace<Reciprocal>{},
                                                                 reciprocal_out),
       structured<&compute_floating<UnaryOperation::sqrt>>(traits, Sqrt{}, InPlace<Sqrt>{}, sqrt_out),
       structured<&compute_floating<UnaryOperation::rsqrt>>(in_float32, Rsqrt{}, InPlace<Rsqrt>{}, rsqrt_out)});
}

}  // namespace gpucheck::tensor::operators::in_arithmetic::unary
