#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/comparison/comparison.hpp"
#include "tensor/operators/comparison/kernels/comparison.hpp"
#include "tensor/operators/factories/factories.hpp"

namespace gpucheck::tensor::operators::in_comparison::classify {
namespace {

namespace kernels = device::kernels;

template <bool asks_finite>
Tensor compute(const Destination& destination, const Tensor& self) {
  const DType dtype = self.dtype();
  const Loop loop(destination, {self}, {.result_dtype = DType::boolean, .computed_dtype = dtype});
  if (is_integral(dtype, true)) return fill_(loop.result(), asks_finite);
  with_number<float, double, kernels::Complex<float>, kernels::Complex<double>>(
      dtype, "classify_cuda", [&]<typename Number>(std::type_identity<Number>) {
        run_pointwise<1, Number>(loop, kernels::Classify<Number>{asks_finite});
      });
  return loop.result();
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.operations_per_element = 1};
  return joined({structured<&compute<false>>(traits, IsInf{}), structured<&compute<true>>(traits, IsFinite{})});
}

}  // namespace gpucheck::tensor::operators::in_comparison::classify
