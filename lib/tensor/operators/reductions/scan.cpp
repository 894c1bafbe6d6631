#include <algorithm>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/overlap.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/reductions/kernels/scans.hpp"
#include "tensor/operators/reductions/reductions.hpp"
#include "tensor/operators/reductions/rows.hpp"
#include "tensor/operators/reductions/support.hpp"

/// cumsum and cumprod.
namespace gpucheck::tensor::operators::in_reductions::scan {
namespace {

namespace kernels = device::kernels;

enum class Of { sums, products };

/// A new tensor, or the one that is there, checked and resized.
Tensor result_like(const Destination& destination, const Tensor& self, DType dtype) {
  const Tensor& there = destination.tensor;
  if (!there.defined()) return make_empty(self.sizes(), dtype, self.device());
  require_dtype_of_out(destination, dtype);
  if (there.device() != self.device()) {
    throw Error("Expected all tensors to be on the same device, but found at least two devices, " +
                there.device().text() + " and " + self.device().text() + "!");
  }
  require_no_internal_overlap(there);
  require_no_partial_overlap(there, self);
  if (there.sizes() != self.sizes()) resize(there, self.sizes());
  return there;
}

template <Of of>
Tensor compute(const Destination& destination, const Tensor& self, std::int64_t dimension, std::optional<DType> dtype) {
  static_cast<void>(wrap_dimension(dimension, self.rank()));
  const DType result_dtype = accumulated_dtype(destination, self, dtype);
  const Tensor elements = converted(self, result_dtype);
  const Tensor result = result_like(destination, elements, result_dtype);
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      result_dtype, of == Of::sums ? "cumsum_cuda" : "cumprod_cuda", [&]<typename Number>(std::type_identity<Number>) {
        kernels::Scan<Number> kernel{};
        kernel.multiplies = of == Of::products;
        run_over_rows(kernel, result, elements, dimension);
      });
  return result;
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.autocast = AutocastPolicy::float32_output};
  return joined(
      {structured<&compute<Of::sums>>(traits, CumulativeSum{}, InPlace<CumulativeSum>{}, cumsum_out),
       structured<&compute<Of::products>>(traits, CumulativeProduct{}, InPlace<CumulativeProduct>{}, cumprod_out)});
}

}  // namespace gpucheck::tensor::operators::in_reductions::scan
