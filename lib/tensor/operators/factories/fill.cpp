#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/factories/kernels/filling.hpp"

namespace gpucheck::tensor::operators::in_factories::fill {
namespace {

namespace kernels = device::kernels;

/// Whole numbers and booleans as their bits: every 64-bit number is kept.
Tensor fill_scalar(const Tensor& self, const Scalar& value) {
  const DType dtype = self.dtype();
  const Scalar stored = dtype == DType::boolean ? Scalar(value.to_bool()) : value;
  const Loop loop({Form::in_place, self}, {}, {.computed_dtype = dtype});
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      dtype, "fill_", [&]<typename Number>(std::type_identity<Number>) {
        run_pointwise<0, Number>(loop, kernels::FillWith<Number>{detail::number_of<Number>(stored)});
      });
  self.count_write();
  return self;
}

Tensor fill_tensor(const Tensor& self, const Tensor& value) {
  if (value.rank() != 0) {
    throw Error(
        fmt::format("fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.", value.rank()));
  }
  return copy_(self, value);
}

Tensor zero_in_place(const Tensor& self) { return fill_scalar(self, 0); }

}  // namespace

std::vector<Entry> define() {
  return {FillScalar::entry<&fill_scalar>({}), FillTensor::entry<&fill_tensor>({}),
          ZeroInPlace::entry<&zero_in_place>({})};
}

}  // namespace gpucheck::tensor::operators::in_factories::fill
