#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/operators/indexing/indexing.hpp"
#include "tensor/operators/indexing/support.hpp"

namespace gpucheck::tensor::operators::in_indexing::index_select {
namespace {

Tensor compute(const Destination& destination, const Tensor& self, std::int64_t dim, const Tensor& index) {
  const auto dimension = static_cast<std::size_t>(wrap_dimension(dim, self.rank()));
  require_same_device(self, index);
  if (index.rank() > 1) throw IndexError("index_select(): Index is supposed to be a vector");
  if (self.rank() == 0 && index.count() != 1) {
    throw Error(fmt::format("index_select(): Index to scalar can have only 1 value, got {} value(s)", index.count()));
  }
  if (index.dtype() != DType::int64 && index.dtype() != DType::int32) {
    throw Error("index_select(): Expected dtype int32 or int64 for index");
  }
  if (destination.tensor.defined() && destination.tensor.dtype() != self.dtype()) {
    throw Error("index_select(): self and result must have the same scalar type");
  }
  const std::int64_t size = at_least_one(self.sizes())[dimension];
  if (index_outside(index, size, false)) throw IndexError("index out of range in self");
  Sizes sizes = self.sizes();
  if (self.rank() > 0) sizes[dimension] = index.count();
  const Tensor result = result_of(destination, self, index, sizes);
  Sizes strides = at_least_one(self.strides());
  Sizes along(strides.size(), 0);
  along[dimension] = at_least_one(index.strides())[0];
  const std::int64_t step = strides[dimension];
  strides[dimension] = 0;
  run_indexed({.shape = at_least_one(sizes),
               .dense = {result, at_least_one(result.strides())},
               .indexed = {self, strides},
               .index = {index, along},
               .size = size,
               .step = step},
              Transfer::take);
  return result;
}

}  // namespace

std::vector<Entry> define() { return structured<&compute>({}, IndexSelect{}, index_select_out); }

}  // namespace gpucheck::tensor::operators::in_indexing::index_select
