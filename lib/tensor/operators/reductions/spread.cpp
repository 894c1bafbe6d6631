#include "tensor/call/structured.hpp"
#include "tensor/iterator/reduction.hpp"
#include "tensor/operators/reductions/kernels/spreads.hpp"
#include "tensor/operators/reductions/reductions.hpp"
#include "tensor/operators/reductions/support.hpp"

/// var and std.
namespace gpucheck::tensor::operators::in_reductions::spread {
namespace {

namespace kernels = device::kernels;

enum class Of { variance, deviation };

template <Of of>
Tensor compute(const Destination& destination, const Tensor& self, const OptionalSizes& dimensions,
               const std::optional<Scalar>& correction, bool keep) {
  if (is_integral(self.dtype(), true)) throw Error("std and var only support floating point and complex dtypes");
  const DType result = real_of(self.dtype());
  require_dtype_of_out(destination, result);
  const Reduction reduction(destination, self,
                            {.dimensions = dimensions, .keep_dimensions = keep, .result_dtype = result});
  with_number<float, double, kernels::Complex<float>, kernels::Complex<double>>(
      self.dtype(), "std_cuda", [&]<typename Number>(std::type_identity<Number>) {
        using Real = kernels::Part<Number>;
        const auto taken = static_cast<Real>(correction.value_or(1).to_double());
        run_reduction<Number>(reduction, kernels::Spread<Number>{taken, of == Of::deviation});
      });
  return reduction.result();
}

/// As PyTorch: made of the form with a correction.
template <typename Corrected>
Tensor of_all(const Tensor& self, bool unbiased) {
  return Corrected{}(self, std::nullopt, Scalar(unbiased ? 1 : 0), false);
}
template <typename Corrected>
Tensor of_dimensions(const Tensor& self, const OptionalSizes& dimensions, bool unbiased, bool keep) {
  return Corrected{}(self, dimensions, Scalar(unbiased ? 1 : 0), keep);
}

}  // namespace

std::vector<Entry> define() {
  const Traits composite{.is_composite = true};
  std::vector<Entry> made_of_others{VarianceDefault::entry<&of_all<VarianceCorrection>>(composite),
                                    VarianceDimensions::entry<&of_dimensions<VarianceCorrection>>(composite),
                                    DeviationDefault::entry<&of_all<DeviationCorrection>>(composite),
                                    DeviationDimensions::entry<&of_dimensions<DeviationCorrection>>(composite)};
  return joined(
      {std::move(made_of_others),
       structured<&compute<Of::variance>>({}, VarianceCorrection{}, Out<VarianceCorrection, "correction_out">{}),
       structured<&compute<Of::deviation>>({}, DeviationCorrection{}, Out<DeviationCorrection, "correction_out">{})});
}

}  // namespace gpucheck::tensor::operators::in_reductions::spread
