#include "tensor/call/structured.hpp"
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

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.operations_per_element = 1};
  return structured<&compute_neg>(traits, Neg{}, InPlace<Neg>{}, neg_out);
}

}  // namespace gpucheck::tensor::operators::in_arithmetic::unary
