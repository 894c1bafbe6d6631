#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/operators/indexing/indexing.hpp"
#include "tensor/operators/indexing/support.hpp"

namespace gpucheck::tensor::operators::in_indexing::gather {
namespace {

void require_shapes(const Tensor& self, std::size_t dimension, const Tensor& index) {
  const Sizes sizes = at_least_one(self.sizes());
  const Sizes picked = at_least_one(index.sizes());
  if (sizes.size() != picked.size()) {
    throw Error("Index tensor must have the same number of dimensions as input tensor");
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i == dimension || picked[i] <= sizes[i]) continue;
    throw Error(
        fmt::format("Size does not match at dimension {} expected index {} to be no larger than self {} apart "
                    "from dimension {}",
                    i, to_text(index.sizes()), to_text(self.sizes()), dimension));
  }
}

Tensor compute(const Destination& destination, const Tensor& self, std::int64_t dim, const Tensor& index,
               bool /*sparse_grad*/) {
  const auto dimension = static_cast<std::size_t>(wrap_dimension(dim, self.rank()));
  require_index_dtype(index, "gather");
  require_same_device(self, index);
  if (index.count() > 0) require_shapes(self, dimension, index);
  if (destination.tensor.defined() && destination.tensor.dtype() != self.dtype()) {
    throw Error("gather(): Expected self.dtype to be equal to out.dtype");
  }
  const Tensor result = result_of(destination, self, index, index.sizes());
  if (index.count() == 0) return result;
  const std::int64_t size = at_least_one(self.sizes())[dimension];
  if (const auto outside = index_outside(index, size, false)) {
    throw Error(fmt::format("index {} is out of bounds for dimension {} with size {}", *outside, dimension, size));
  }
  Sizes strides = at_least_one(self.strides());
  const std::int64_t step = strides[dimension];
  strides[dimension] = 0;
  run_indexed({.shape = at_least_one(index.sizes()),
               .dense = {result, at_least_one(result.strides())},
               .indexed = {self, strides},
               .index = {index, at_least_one(index.strides())},
               .size = size,
               .step = step},
              Transfer::take);
  return result;
}

}  // namespace

std::vector<Entry> define() { return structured<&compute>({}, Gather{}, gather_out); }

}  // namespace gpucheck::tensor::operators::in_indexing::gather
