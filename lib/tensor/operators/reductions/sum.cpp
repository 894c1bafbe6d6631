#include "tensor/call/structured.hpp"
#include "tensor/iterator/reduction.hpp"
#include "tensor/operators/reductions/kernels/reductions.hpp"
#include "tensor/operators/reductions/reductions.hpp"
#include "tensor/operators/reductions/support.hpp"

namespace gpucheck::tensor::operators::in_reductions::sum {
namespace {

namespace kernels = device::kernels;

Tensor compute(const Destination& destination, const Tensor& self, const OptionalSizes& dimensions, bool keep,
               std::optional<DType> dtype) {
  const DType result = accumulated_dtype(destination, self, dtype);
  const Reduction reduction(destination, converted(self, result),
                            {.dimensions = dimensions, .keep_dimensions = keep, .result_dtype = result});
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      result, "sum", [&]<typename Number>(std::type_identity<Number>) {
        run_reduction<Number>(reduction, kernels::Sum<Number>{Number{1}});
      });
  return reduction.result();
}

Tensor compute_all(const Destination& destination, const Tensor& self, std::optional<DType> dtype) {
  return compute(destination, self, std::nullopt, false, dtype);
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.autocast = AutocastPolicy::float32_output};
  return joined({structured<&compute_all>(traits, SumDefault{}, Out<SumDefault, "out">{}),
                 structured<&compute>(traits, SumDimensions{}, Out<SumDimensions, "IntList_out">{})});
}

}  // namespace gpucheck::tensor::operators::in_reductions::sum
