#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/iterator/overlap.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/indexing/indexing.hpp"
#include "tensor/operators/indexing/places_support.hpp"

/// index and index_put.
namespace gpucheck::tensor::operators::in_indexing::index {
namespace {

Tensor take(const Destination& destination, const Tensor& self, const std::vector<Tensor>& indices) {
  IndexedPlan plan = places_of(self, indices);
  if (destination.tensor.defined() && destination.tensor.dtype() != self.dtype()) {
    throw Error(fmt::format("index_out: self ({}) and result ({}) must have the same scalar type",
                            to_error_text(self.dtype()), to_error_text(destination.tensor.dtype())));
  }
  const Tensor result = result_of(destination, self, plan.index.tensor, plan.shape);
  plan.dense = {result, result.strides()};
  run_indexed(plan, Transfer::take);
  return result;
}

bool can_be_repeated(const Sizes& sizes, const Sizes& shape) {
  for (std::size_t from_end = 1; from_end <= sizes.size(); ++from_end) {
    const std::int64_t size = sizes[sizes.size() - from_end];
    if (size != 1 && (from_end > shape.size() || size != shape[shape.size() - from_end])) return false;
  }
  return true;
}

/// Without outer dimensions of one element that the shape does not have.
Tensor without_outer_ones(const Tensor& values, std::size_t rank) {
  if (values.sizes().size() <= rank) return values;
  const auto surplus = static_cast<std::ptrdiff_t>(values.sizes().size() - rank);
  return values.with_geometry({Sizes(values.sizes().begin() + surplus, values.sizes().end()),
                               Sizes(values.strides().begin() + surplus, values.strides().end()), values.offset()});
}

Tensor put(const Destination& destination, const Tensor& self, const std::vector<Tensor>& indices, const Tensor& given,
           bool accumulate) {
  if (given.dtype() != self.dtype()) {
    throw Error(
        fmt::format("Index put requires the source and destination dtypes match, got {} for the destination "
                    "and {} for the source.",
                    to_error_text(self.dtype()), to_error_text(given.dtype())));
  }
  const Tensor values = given.rank() == 0 ? to(given, self.device()) : given;
  require_same_device(self, values);
  const Tensor result = filled_result(destination, self);
  require_no_partial_overlap(result, values);
  IndexedPlan plan = places_of(result, indices);
  if (!can_be_repeated(values.sizes(), plan.shape)) {
    throw Error(
        fmt::format("shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape "
                    "{}",
                    to_text(values.sizes()), to_text(plan.shape)));
  }
  const Tensor source = without_outer_ones(values, plan.shape.size());
  plan.dense = {source, repeated_strides(source, plan.shape)};
  run_indexed(plan, accumulate ? Transfer::add : Transfer::put);
  return result;
}

}  // namespace

std::vector<Entry> define() {
  return joined(
      {structured<&take>({}, IndexTensor{}, index_out),
       structured<&put>({.autocast = AutocastPolicy::promote}, IndexPut{}, InPlace<IndexPut>{}, index_put_out)});
}

}  // namespace gpucheck::tensor::operators::in_indexing::index
