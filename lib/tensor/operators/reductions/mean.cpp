#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/reduction.hpp"
#include "tensor/operators/reductions/kernels/reductions.hpp"
#include "tensor/operators/reductions/reductions.hpp"
#include "tensor/operators/reductions/support.hpp"

namespace gpucheck::tensor::operators::in_reductions::mean {
namespace {

namespace kernels = device::kernels;

DType require_fractions(const Tensor& self, std::optional<DType> dtype) {
  const DType result = dtype.value_or(self.dtype());
  if (!is_integral(result, true)) return result;
  throw Error(
      fmt::format("mean(): could not infer output dtype. {} dtype must be either a floating point or complex "
                  "dtype. Got: {}",
                  dtype ? "Optional" : "Input", to_error_text(result)));
}

Tensor compute(const Destination& destination, const Tensor& self, const OptionalSizes& dimensions, bool keep,
               std::optional<DType> dtype) {
  const DType result = require_fractions(self, dtype);
  require_dtype_of_out(destination, result);
  const Reduction reduction(destination, converted(self, result),
                            {.dimensions = dimensions, .keep_dimensions = keep, .result_dtype = result});
  const Scalar count = static_cast<double>(reduction.reduced());
  with_number<float, double, kernels::Complex<float>, kernels::Complex<double>>(
      result, "mean", [&]<typename Number>(std::type_identity<Number>) {
        run_reduction<Number>(reduction, kernels::Sum<Number>{detail::number_of<Number>(count)});
      });
  return reduction.result();
}

Tensor compute_all(const Destination& destination, const Tensor& self, std::optional<DType> dtype) {
  return compute(destination, self, std::nullopt, false, dtype);
}

}  // namespace

std::vector<Entry> define() {
  return joined({structured<&compute_all>({}, Mean{}, Out<Mean, "dtype_out">{}),
                 structured<&compute>({}, MeanDimensions{}, Out<MeanDimensions, "out">{})});
}

}  // namespace gpucheck::tensor::operators::in_reductions::mean
