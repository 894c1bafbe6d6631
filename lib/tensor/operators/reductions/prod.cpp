#include "tensor/call/structured.hpp"
#include "tensor/iterator/reduction.hpp"
#include "tensor/operators/reductions/kernels/products.hpp"
#include "tensor/operators/reductions/reductions.hpp"
#include "tensor/operators/reductions/support.hpp"

namespace gpucheck::tensor::operators::in_reductions::prod {
namespace {

namespace kernels = device::kernels;

Tensor compute(const Destination& destination, const Tensor& self, const std::optional<Sizes>& dimensions, bool keep,
               std::optional<DType> dtype) {
  const DType result = accumulated_dtype(destination, self, dtype);
  const Reduction reduction(destination, converted(self, result),
                            {.dimensions = dimensions, .keep_dimensions = keep, .result_dtype = result});
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      result, "prod_cuda", [&]<typename Number>(std::type_identity<Number>) {
        run_reduction<Number>(reduction, kernels::Product<Number>{});
      });
  return reduction.result();
}

Tensor compute_all(const Destination& destination, const Tensor& self, std::optional<DType> dtype) {
  return compute(destination, self, std::nullopt, false, dtype);
}

Tensor compute_dimension(const Destination& destination, const Tensor& self, std::int64_t dimension, bool keep,
                         std::optional<DType> dtype) {
  return compute(destination, self, Sizes{dimension}, keep, dtype);
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.autocast = AutocastPolicy::float32_output};
  return joined({structured<&compute_all>(traits, ProductDefault{}, Out<ProductDefault, "out">{}),
                 structured<&compute_dimension>(traits, ProductDimension{}, Out<ProductDimension, "int_out">{})});
}

}  // namespace gpucheck::tensor::operators::in_reductions::prod
