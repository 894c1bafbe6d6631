#include "tensor/operators/reductions/kernels/softmax.hpp"

#include <algorithm>

#include "tensor/call/structured.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/reductions/reductions.hpp"
#include "tensor/operators/reductions/rows.hpp"
#include "tensor/operators/reductions/support.hpp"

/// softmax, log_softmax and logsumexp.
namespace gpucheck::tensor::operators::in_reductions::softmax {
namespace {

namespace kernels = device::kernels;

enum class Of { value, logarithm };

template <typename Number, typename T>
void run_rows(const Tensor& result, const Tensor& self, std::int64_t dimension, Of of) {
  kernels::Softmax<Number, T> kernel{};
  kernel.of_logarithm = of == Of::logarithm;
  run_over_rows(kernel, result, self, dimension);
}

void run(const Tensor& result, const Tensor& self, std::int64_t dimension, Of of) {
  if (self.dtype() == DType::float64) return run_rows<double, void>(result, self, dimension, of);
  if (self.dtype() != result.dtype()) return run_rows<float, void>(result, self, dimension, of);
  if (self.dtype() == DType::float16) return run_rows<float, kernels::Half>(result, self, dimension, of);
  if (self.dtype() == DType::bfloat16) return run_rows<float, kernels::BFloat16>(result, self, dimension, of);
  run_rows<float, float>(result, self, dimension, of);
}

template <Of of>
Tensor compute(const Tensor& self, std::int64_t dimension, bool half_to_float) {
  static_cast<void>(wrap_dimension(dimension, self.rank()));
  if (half_to_float && self.dtype() != DType::float16) {
    throw Error("conversion is supported for Half type only");
  }
  if (!is_floating(self.dtype())) refuse_dtype("host_softmax", self.dtype());
  const Tensor result = make_empty(self.sizes(), half_to_float ? DType::float32 : self.dtype(), self.device());
  run(result, self, dimension, of);
  return result;
}

/// As PyTorch: half becomes float32 within the kernel, other types before it.
template <typename Kernel>
Tensor with_dtype(const Kernel& kernel, const Tensor& self, std::int64_t dimension, std::optional<DType> dtype) {
  const bool is_within = self.dtype() == DType::float16 && dtype == DType::float32 && !self.device().is_host();
  if (is_within) return kernel(self, dimension, true);
  return kernel(dtype ? to(self, *dtype) : self, dimension, false);
}

Tensor softmax_of(const Tensor& self, std::int64_t dimension, std::optional<DType> dtype) {
  return with_dtype(SoftmaxKernel{}, self, dimension, dtype);
}
Tensor log_softmax_of(const Tensor& self, std::int64_t dimension, std::optional<DType> dtype) {
  return with_dtype(LogSoftmaxKernel{}, self, dimension, dtype);
}

Tensor log_of_sum(const Destination& destination, const Tensor& self, const Sizes& dimensions, bool keep) {
  const DType dtype = is_integral(self.dtype(), true) ? DType::float32 : self.dtype();
  const Reduction reduction(destination, converted(self, dtype),
                            {.dimensions = dimensions, .keep_dimensions = keep, .result_dtype = dtype});
  with_number<float, double, kernels::Complex<float>, kernels::Complex<double>>(
      dtype, "logsumexp", [&]<typename Number>(std::type_identity<Number>) {
        run_reduction<Number>(reduction, kernels::LogOfExponentialSum<Number>{});
      });
  return reduction.result();
}

}  // namespace

std::vector<Entry> define() {
  const Traits in_float{.autocast = AutocastPolicy::float32_output, .is_composite = true};
  std::vector<Entry> rows{
      SoftmaxKernel::entry<&compute<Of::value>>({}), LogSoftmaxKernel::entry<&compute<Of::logarithm>>({}),
      SoftmaxDimension::entry<&softmax_of>(in_float), LogSoftmaxDimension::entry<&log_softmax_of>(in_float)};
  return joined(
      {std::move(rows), structured<&log_of_sum>({.autocast = AutocastPolicy::float32}, LogSumExp{}, logsumexp_out)});
}

}  // namespace gpucheck::tensor::operators::in_reductions::softmax
