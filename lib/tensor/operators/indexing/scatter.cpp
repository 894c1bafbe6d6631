#include <fmt/format.h>
#include <string>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/overlap.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/indexing/indexing.hpp"
#include "tensor/operators/indexing/support.hpp"

namespace gpucheck::tensor::operators::in_indexing::scatter {
namespace {

void require_shapes(const Tensor& self, std::size_t dimension, const Tensor& index, const Tensor* src) {
  const Sizes sizes = at_least_one(self.sizes());
  const Sizes placed = at_least_one(index.sizes());
  if (sizes.size() != placed.size()) {
    throw Error("Index tensor must have the same number of dimensions as self tensor");
  }
  const Sizes given = src == nullptr ? placed : at_least_one(src->sizes());
  if (given.size() != placed.size()) {
    throw Error("Index tensor must have the same number of dimensions as src tensor");
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if ((i == dimension || placed[i] <= sizes[i]) && placed[i] <= given[i]) continue;
    std::string text = fmt::format("Expected index {} to be no larger than self {} apart from dimension {}",
                                   to_text(index.sizes()), to_text(self.sizes()), dimension);
    if (src != nullptr) text += " and to be no larger size than src " + to_text(src->sizes());
    throw Error(text);
  }
}

struct Source {
  Looped elements;
  const Tensor* tensor;  ///< null for a number
};

Tensor place(const Destination& destination, const Tensor& self, std::int64_t dim, const Tensor& index,
             const Source& source, Transfer transfer) {
  const std::string_view name = transfer == Transfer::add ? "scatter_add" : "scatter";
  const auto dimension = static_cast<std::size_t>(wrap_dimension(dim, self.rank()));
  require_index_dtype(index, name);
  require_same_device(self, index);
  if (source.tensor != nullptr) {
    require_same_device(self, *source.tensor);
    if (source.tensor->dtype() != self.dtype()) {
      throw Error(fmt::format("{}(): Expected self.dtype to be equal to src.dtype", name));
    }
  }
  if (index.count() > 0) require_shapes(self, dimension, index, source.tensor);
  const std::int64_t size = at_least_one(self.sizes())[dimension];
  if (const auto outside = index_outside(index, size, false)) {
    throw Error(fmt::format("index {} is out of bounds for dimension {} with size {}", *outside, dimension, size));
  }
  const Tensor result = filled_result(destination, self);
  require_no_partial_overlap(result, index);
  if (source.tensor != nullptr) require_no_partial_overlap(result, *source.tensor);
  if (index.count() == 0) return result;
  Sizes strides = at_least_one(result.strides());
  const std::int64_t step = strides[dimension];
  strides[dimension] = 0;
  run_indexed({.shape = at_least_one(index.sizes()),
               .dense = source.elements,
               .indexed = {result, strides},
               .index = {index, at_least_one(index.strides())},
               .size = size,
               .step = step},
              transfer);
  return result;
}

Tensor compute_source(const Destination& destination, const Tensor& self, std::int64_t dimension, const Tensor& index,
                      const Tensor& src) {
  return place(destination, self, dimension, index, {{src, at_least_one(src.strides())}, &src}, Transfer::put);
}

Tensor compute_value(const Destination& destination, const Tensor& self, std::int64_t dimension, const Tensor& index,
                     const Scalar& value) {
  const Tensor number = full({}, value, self.dtype(), self.device());
  const Sizes repeated(at_least_one(index.sizes()).size(), 0);
  return place(destination, self, dimension, index, {{number, repeated}, nullptr}, Transfer::put);
}

Tensor compute_added(const Destination& destination, const Tensor& self, std::int64_t dimension, const Tensor& index,
                     const Tensor& src) {
  return place(destination, self, dimension, index, {{src, at_least_one(src.strides())}, &src}, Transfer::add);
}

}  // namespace

std::vector<Entry> define() {
  return joined(
      {structured<&compute_source>({}, ScatterSource{}, InPlace<ScatterSource>{}, Out<ScatterSource, "src_out">{}),
       structured<&compute_value>({}, ScatterValue{}, InPlace<ScatterValue>{}, Out<ScatterValue, "value_out">{}),
       structured<&compute_added>({.autocast = AutocastPolicy::promote}, ScatterAdd{}, InPlace<ScatterAdd>{},
                                  scatter_add_out)});
}

}  // namespace gpucheck::tensor::operators::in_indexing::scatter
