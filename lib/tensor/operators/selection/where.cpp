#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/operands.hpp"
#include "tensor/operators/selection/kernels/selection.hpp"
#include "tensor/operators/selection/selection.hpp"

namespace gpucheck::tensor::operators::in_selection::where {
namespace {

namespace kernels = device::kernels;

Tensor compute(const Destination& destination, const Tensor& condition, const Tensor& self, const Tensor& other) {
  if (condition.dtype() != DType::boolean && condition.dtype() != DType::uint8) {
    throw Error(fmt::format("where expected condition to be a boolean tensor, but got a tensor with dtype {}",
                            to_error_text(condition.dtype())));
  }
  const Loop loop(destination, {condition, self, other}, {.computed_dtype = common_dtype(self, other)});
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      loop.computed_dtype(), "where_cuda",
      [&]<typename Number>(std::type_identity<Number>) { run_pointwise<3, Number>(loop, kernels::Select<Number>{}); });
  return loop.result();
}

}  // namespace

std::vector<Entry> define() { return structured<&compute>({.operations_per_element = 1}, WhereSelf{}, where_out); }

}  // namespace gpucheck::tensor::operators::in_selection::where
