#include <cmath>
#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/reduction.hpp"
#include "tensor/operators/reductions/kernels/norms.hpp"
#include "tensor/operators/reductions/reductions.hpp"
#include "tensor/operators/reductions/support.hpp"

namespace gpucheck::tensor::operators::in_reductions::norm {
namespace {

namespace kernels = device::kernels;
using kernels::NormKind;

void require_norm_dtype(const Tensor& self, std::optional<DType> dtype) {
  if (is_integral(self.dtype(), true)) {
    throw Error(fmt::format("linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
                            to_error_text(self.dtype())));
  }
  if (!dtype) return;
  if (is_integral(*dtype, true)) {
    throw Error(
        fmt::format("linalg.vector_norm: dtype should be floating point or complex. Got {}", to_error_text(*dtype)));
  }
  const std::string_view kind = is_complex(self.dtype()) ? "complex" : "real";
  if (is_complex(self.dtype()) != is_complex(*dtype)) {
    throw Error(fmt::format("linalg.vector_norm: dtype should be {} for {} inputs, but got {}", kind, kind,
                            to_error_text(*dtype)));
  }
  if (promote(self.dtype(), *dtype) != *dtype) {
    throw Error(
        fmt::format("linalg.vector_norm: the dtype of the input ({}) should be convertible without narrowing "
                    "to the specified dtype ({})",
                    to_error_text(self.dtype()), to_error_text(*dtype)));
  }
}

/// The smallest and the largest of nothing do not exist, while a sum of nothing is 0.
void require_identity(const Tensor& self, double order, const OptionalSizes& dimensions) {
  if (self.count() > 0 || !(order < 0 || order == INFINITY)) return;
  if (!dimensions || dimensions->empty()) {
    throw Error(
        fmt::format("linalg.vector_norm cannot compute the {} norm on an empty tensor because the operation "
                    "does not have an identity",
                    order));
  }
  for (const std::int64_t dimension : *dimensions) {
    if (self.size(dimension) != 0) continue;
    throw Error(
        fmt::format("linalg.vector_norm cannot compute the {} norm on the dimension {} because this dimension "
                    "is empty and the operation does not have an identity",
                    order, dimension));
  }
}

NormKind kind_of(double order) {
  if (order == 0) return NormKind::count;
  if (order == 1) return NormKind::sum;
  if (order == 2) return NormKind::euclid;
  if (std::isinf(order)) return order > 0 ? NormKind::largest : NormKind::smallest;
  return NormKind::power;
}

Tensor compute(const Destination& destination, const Tensor& self, const Scalar& order, const OptionalSizes& dimensions,
               bool keep, std::optional<DType> dtype) {
  require_norm_dtype(self, dtype);
  require_identity(self, order.to_double(), dimensions);
  const DType taken = dtype.value_or(self.dtype());
  require_dtype_of_out(destination, real_of(taken));
  const Reduction reduction(destination, converted(self, taken),
                            {.dimensions = dimensions, .keep_dimensions = keep, .result_dtype = real_of(taken)});
  const NormKind kind = kind_of(order.to_double());
  with_number<float, double, kernels::Complex<float>, kernels::Complex<double>>(
      taken, "norm", [&]<typename Number>(std::type_identity<Number>) {
        using Norm = kernels::Norm<Number>;
        run_reduction<Number>(reduction, Norm{kind, static_cast<typename Norm::Real>(order.to_double())});
      });
  return reduction.result();
}

Tensor compute_order(const Destination& destination, const Tensor& self, const Scalar& order) {
  return compute(destination, self, order, std::nullopt, false, std::nullopt);
}
Tensor compute_order_dtype(const Destination& destination, const Tensor& self, const std::optional<Scalar>& order,
                           DType dtype) {
  return compute(destination, self, order.value_or(2), std::nullopt, false, dtype);
}
Tensor compute_dimensions(const Destination& destination, const Tensor& self, const std::optional<Scalar>& order,
                          const Sizes& dimensions, bool keep) {
  return compute(destination, self, order.value_or(2), dimensions, keep, std::nullopt);
}
Tensor compute_dimensions_dtype(const Destination& destination, const Tensor& self, const std::optional<Scalar>& order,
                                const Sizes& dimensions, bool keep, DType dtype) {
  return compute(destination, self, order.value_or(2), dimensions, keep, dtype);
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.autocast = AutocastPolicy::float32};
  return joined(
      {structured<&compute_order>(traits, NormOrder{}), structured<&compute_order_dtype>(traits, NormOrderDtype{}),
       structured<&compute_dimensions>(traits, NormDimensions{}, Out<NormDimensions, "out">{}),
       structured<&compute_dimensions_dtype>(traits, NormDimensionsDtype{}, Out<NormDimensionsDtype, "dtype_out">{}),
       structured<&compute>({}, VectorNorm{}, linalg_vector_norm_out)});
}

}  // namespace gpucheck::tensor::operators::in_reductions::norm
