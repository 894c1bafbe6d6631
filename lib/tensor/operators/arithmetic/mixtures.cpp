#include "tensor/operators/arithmetic/kernels/mixtures.hpp"

#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/operands.hpp"

namespace gpucheck::tensor::operators::in_arithmetic::mixtures {
namespace {

namespace kernels = device::kernels;

void require_dtype(const Tensor& self, const Tensor& other, std::string_view name) {
  if (self.dtype() == other.dtype()) return;
  throw Error(fmt::format("expected dtype {} for `{}` but got dtype {}", to_cpp_text(self.dtype()), name,
                          to_cpp_text(other.dtype())));
}

Tensor run_lerp(const Destination& destination, const Tensor& self, const Tensor& end, const Operand& weight) {
  const Loop loop(destination, {self, end, weight}, {.computed_dtype = self.dtype()});
  with_number<float, double>(self.dtype(), "lerp_cuda", [&]<typename Number>(std::type_identity<Number>) {
    run_pointwise<3, Number>(loop, kernels::Lerp<Number>{});
  });
  return loop.result();
}

Tensor lerp_by_scalar(const Destination& destination, const Tensor& self, const Tensor& end, const Scalar& weight) {
  require_dtype(self, end, "end");
  return run_lerp(destination, self, end, weight);
}
Tensor lerp_by_tensor(const Destination& destination, const Tensor& self, const Tensor& end, const Tensor& weight) {
  require_dtype(self, end, "end");
  require_dtype(self, weight, "weight");
  return run_lerp(destination, self, end, weight);
}

Tensor compute_addcmul(const Destination& destination, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                       const Scalar& value) {
  const Loop loop(destination, {self, tensor1, tensor2});
  if (loop.computed_dtype() == DType::boolean) refuse_dtype("addcmul_cuda", loop.computed_dtype());
  with_number<float, double, std::int64_t>(
      loop.computed_dtype(), "addcmul_cuda", [&]<typename Number>(std::type_identity<Number>) {
        run_pointwise<3, Number>(loop, kernels::AddTerm<Number>{detail::number_of<Number>(value), false});
      });
  return loop.result();
}

Tensor compute_addcdiv(const Destination& destination, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                       const Scalar& value) {
  if (is_integral(tensor1.dtype(), true) && is_integral(tensor2.dtype(), true)) {
    throw Error(
        "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
        "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
        "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) "
        "for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
        "tensor2), for all dtypes.");
  }
  const Loop loop(destination, {self, tensor1, tensor2});
  with_number<float, double>(loop.computed_dtype(), "addcdiv_cuda", [&]<typename Number>(std::type_identity<Number>) {
    run_pointwise<3, Number>(loop, kernels::AddTerm<Number>{detail::number_of<Number>(value), true});
  });
  return loop.result();
}

}  // namespace

std::vector<Entry> define() {
  const Traits lerped{.operations_per_element = 3};
  const Traits promoted{.autocast = AutocastPolicy::promote, .operations_per_element = 3};
  return joined(
      {structured<&lerp_by_scalar>(lerped, LerpScalar{}, InPlace<LerpScalar>{}, Out<LerpScalar, "Scalar_out">{}),
       structured<&lerp_by_tensor>(lerped, LerpTensor{}, InPlace<LerpTensor>{}, Out<LerpTensor, "Tensor_out">{}),
       structured<&compute_addcmul>(promoted, Addcmul{}, InPlace<Addcmul>{}, addcmul_out),
       structured<&compute_addcdiv>(promoted, Addcdiv{}, InPlace<Addcdiv>{}, addcdiv_out)});
}

}  // namespace gpucheck::tensor::operators::in_arithmetic::mixtures
