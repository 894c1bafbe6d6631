#include "tensor/operators/reductions/kernels/extremes.hpp"

#include <string>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/reduction.hpp"
#include "tensor/operators/reductions/reductions.hpp"
#include "tensor/operators/reductions/support.hpp"

namespace gpucheck::tensor::operators::in_reductions::extremes {
namespace {

namespace kernels = device::kernels;

enum class Which { smallest, largest };

Tensor reduce(const Destination& destination, const Tensor& self, const std::optional<Sizes>& dimensions, bool keep,
              Which which, std::string_view name) {
  const Reduction reduction(destination, self,
                            {.dimensions = dimensions, .keep_dimensions = keep, .result_dtype = self.dtype()});
  with_number<float, double, std::int64_t>(self.dtype(), name, [&]<typename Number>(std::type_identity<Number>) {
    run_reduction<Number>(reduction, kernels::Extreme<Number>{which == Which::smallest});
  });
  return reduction.result();
}

template <Which which>
Tensor compute_values(const Destination& destination, const Tensor& self, const Sizes& dimensions, bool keep) {
  const bool is_smallest = which == Which::smallest;
  const std::string_view name = is_smallest ? "amin" : "amax";
  if (destination.tensor.defined() && destination.tensor.dtype() != self.dtype()) {
    throw Error("Expected the dtype for input and out to match, but got " + std::string(to_error_text(self.dtype())) +
                " for input's dtype and " + std::string(to_error_text(destination.tensor.dtype())) +
                " for out's dtype.");
  }
  if (self.count() == 0 && dimensions.empty()) require_elements(self, name);
  for (const std::int64_t dimension : dimensions) require_elements(self, dimension, name);
  return reduce(destination, self, dimensions, keep, which, is_smallest ? "min_values_cuda" : "max_values_cuda");
}

template <Which which>
Tensor compute_all(const Destination& destination, const Tensor& self) {
  const bool is_smallest = which == Which::smallest;
  require_elements(self, is_smallest ? "min" : "max");
  require_dtype_of_out(destination, self.dtype());
  return reduce(destination, self, std::nullopt, false, which, is_smallest ? "min_all_cuda" : "max_all_cuda");
}

}  // namespace

std::vector<Entry> define() {
  return joined({structured<&compute_values<Which::largest>>({}, LargestValues{}, amax_out),
                 structured<&compute_values<Which::smallest>>({}, SmallestValues{}, amin_out),
                 structured<&compute_all<Which::largest>>({}, MaxDefault{}, Out<MaxDefault, "unary_out">{}),
                 structured<&compute_all<Which::smallest>>({}, MinDefault{}, Out<MinDefault, "unary_out">{})});
}

}  // namespace gpucheck::tensor::operators::in_reductions::extremes
