#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/reduction.hpp"
#include "tensor/operators/reductions/kernels/truths.hpp"
#include "tensor/operators/reductions/reductions.hpp"

namespace gpucheck::tensor::operators::in_reductions::any_all {
namespace {

enum class Of { any, every };

template <Of of>
Tensor compute(const Destination& destination, const Tensor& self, const std::optional<Sizes>& dimensions, bool keep) {
  const DType result = self.dtype() == DType::uint8 ? DType::uint8 : DType::boolean;
  const Tensor& out = destination.tensor;
  if (out.defined() && out.dtype() != DType::boolean && out.dtype() != DType::uint8) {
    throw Error(fmt::format("{} only supports bool tensor for result, got: {}", of == Of::any ? "any" : "all",
                            to_error_text(out.dtype())));
  }
  const Reduction reduction(destination, self,
                            {.dimensions = dimensions, .keep_dimensions = keep, .result_dtype = result});
  run_reduction<bool>(reduction, device::kernels::Truth<bool>{of == Of::every});
  return reduction.result();
}

template <Of of>
Tensor compute_all(const Destination& destination, const Tensor& self) {
  return compute<of>(destination, self, std::nullopt, false);
}

template <Of of>
Tensor compute_dimension(const Destination& destination, const Tensor& self, std::int64_t dimension, bool keep) {
  return compute<of>(destination, self, Sizes{dimension}, keep);
}

}  // namespace

std::vector<Entry> define() {
  return joined({structured<&compute_all<Of::any>>({}, AnyDefault{}, Out<AnyDefault, "all_out">{}),
                 structured<&compute_dimension<Of::any>>({}, AnyDimension{}, Out<AnyDimension, "out">{}),
                 structured<&compute_all<Of::every>>({}, AllDefault{}, Out<AllDefault, "all_out">{}),
                 structured<&compute_dimension<Of::every>>({}, AllDimension{}, Out<AllDimension, "out">{})});
}

}  // namespace gpucheck::tensor::operators::in_reductions::any_all
