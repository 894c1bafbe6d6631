#include <algorithm>

#include "base/error.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/indexing/indexing.hpp"
#include "tensor/operators/indexing/kernels/bins.hpp"
#include "tensor/operators/indexing/support.hpp"
#include "tensor/operators/reductions/reductions.hpp"

namespace gpucheck::tensor::operators::in_indexing::bincount {
namespace {

void require_numbers(const Tensor& self) {
  if (self.rank() == 1 && (self.dtype() == DType::uint8 || item(min(self)).to_int() >= 0)) return;
  throw Error("bincount only supports 1-d non-negative integral inputs.");
}

Tensor count(const Tensor& self, const Tensor& weights, std::int64_t minlength) {
  if (!is_integral(self.dtype())) refuse_dtype("bincount_cuda", self.dtype());
  if (minlength < 0) throw Error("minlength should be >= 0");
  if (self.rank() == 1 && self.count() == 0) return zeros({minlength}, DType::int64, self.device());
  require_numbers(self);
  if (weights.defined() && weights.sizes() != self.sizes()) {
    throw Error("weights should be 1-d and have the same length as input");
  }
  if (weights.defined()) require_same_device(self, weights);
  const std::int64_t bins = std::max(item(max(self)).to_int() + 1, minlength);
  const DType weighted = weights.defined() && weights.dtype() == DType::float32 ? DType::float32 : DType::float64;
  const Tensor counts = zeros({bins}, weights.defined() ? weighted : DType::int64, self.device());
  const Tensor added = weights.defined() ? to(weights, weighted) : Tensor{};

  device::kernels::CountBins kernel{};
  kernel.in = self.data();
  kernel.in_dtype = self.dtype();
  kernel.weights = added.defined() ? added.data() : nullptr;
  kernel.counts = counts.data();
  kernel.dtype = counts.dtype();
  kernel.bins = bins;
  kernel.elements = self.count();
  kernel.plan.rank = 1;
  kernel.plan.sizes[0] = self.count();
  kernel.plan.strides[0][0] = self.strides()[0] * static_cast<std::int64_t>(element_bytes(self.dtype()));
  if (added.defined()) {
    kernel.plan.strides[0][1] = added.strides()[0] * static_cast<std::int64_t>(element_bytes(added.dtype()));
  }
  detail::run_kernel(kernel, self.device());
  return counts;
}

}  // namespace

std::vector<Entry> define() { return {BinCount::entry<&count>({})}; }

}  // namespace gpucheck::tensor::operators::in_indexing::bincount
