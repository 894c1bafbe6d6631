#include "tensor/call/structured.hpp"
#include "tensor/iterator/reduction.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/reductions/kernels/reductions.hpp"
#include "tensor/operators/reductions/reductions.hpp"

namespace gpucheck::tensor::operators::in_reductions::sum {
namespace {

namespace kernels = device::kernels;

/// The elements as they are added: of the result's type, but that types which hold less need not be converted first.
Tensor converted(const Tensor& self, DType dtype) {
  const bool is_held = element_bytes(self.dtype()) <= element_bytes(dtype) &&
                       ((is_floating(self.dtype()) && is_floating(dtype) && element_bytes(dtype) > 2) ||
                        (is_integral(self.dtype(), true) && dtype == DType::int64));
  return is_held ? self : to(self, dtype);
}

Tensor compute(const Destination& destination, const Tensor& self, const OptionalSizes& dimensions, bool keep,
               std::optional<DType> dtype) {
  DType result = is_integral(self.dtype(), true) ? DType::int64 : self.dtype();
  if (destination.tensor.defined()) result = destination.tensor.dtype();
  result = dtype.value_or(result);
  const Reduction reduction(destination, converted(self, result),
                            {.dimensions = dimensions, .keep_dimensions = keep, .result_dtype = result});
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      result, "sum",
      [&]<typename Number>(std::type_identity<Number>) { run_reduction<Number>(reduction, kernels::Sum<Number>{}); });
  return reduction.result();
}

Tensor compute_all(const Destination& destination, const Tensor& self, std::optional<DType> dtype) {
  return compute(destination, self, std::nullopt, false, dtype);
}

}  // namespace

std::vector<Entry> define() {
  return joined({structured<&compute_all>({}, SumDefault{}), structured<&compute>({}, SumDimensions{}, sum_out)});
}

}  // namespace gpucheck::tensor::operators::in_reductions::sum
