#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/core/tensor.hpp"
#include "tensor/iterator/reduction.hpp"

namespace gpucheck::tensor::operators::in_reductions {

/// Fills in how a kernel goes over the rows along one dimension of a tensor and of a result with the same sizes, and
/// runs it. Tensors without dimensions have one row of one element.
template <typename Kernel>
void run_over_rows(Kernel& kernel, const Tensor& result, const Tensor& self, std::int64_t dimension) {
  if (self.count() == 0) return;
  const auto place = static_cast<std::size_t>(wrap_dimension(dimension, self.rank()));
  const auto in_size = static_cast<std::int64_t>(element_bytes(self.dtype()));
  const auto out_size = static_cast<std::int64_t>(element_bytes(result.dtype()));
  kernel.in = self.data();
  kernel.in_dtype = self.dtype();
  kernel.out = result.data();
  kernel.out_dtype = result.dtype();
  kernel.length = self.rank() == 0 ? 1 : self.sizes()[place];
  kernel.rows = self.count() / kernel.length;
  kernel.in_stride = self.rank() == 0 ? in_size : self.strides()[place] * in_size;
  kernel.out_stride = self.rank() == 0 ? out_size : result.strides()[place] * out_size;
  std::int64_t between_rows = INT64_MAX;
  auto& rank = kernel.over_rows.rank;
  for (std::size_t i = self.sizes().size(); i-- > 0;) {
    if (i == place || self.sizes()[i] == 1) continue;
    kernel.over_rows.sizes[rank] = self.sizes()[i];
    kernel.over_rows.strides[rank][0] = result.strides()[i] * out_size;
    kernel.over_rows.strides[rank][1] = self.strides()[i] * in_size;
    between_rows = std::min(between_rows, self.strides()[i] * in_size);
    ++rank;
  }
  if (self.device().is_host()) return kernel.run_whole_on_host();
  kernel.shape = block_shape(kernel.rows, kernel.length, kernel.in_stride <= between_rows);
  detail::launch_blocks(kernel, self.device().runtime());
}

}  // namespace gpucheck::tensor::operators::in_reductions
