#include <algorithm>
#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/iterator/overlap.hpp"
#include "tensor/iterator/promotion.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/joining/joining.hpp"

/// cat and stack.
namespace gpucheck::tensor::operators::in_joining::cat {
namespace {

/// A tensor that PyTorch has always left out.
bool is_left_out(const Tensor& tensor) { return tensor.rank() == 1 && tensor.count() == 0; }

void require_fit(const Tensor& first, const Tensor& tensor, std::size_t dimension, std::size_t number) {
  if (first.rank() != tensor.rank()) {
    throw Error(fmt::format("Tensors must have same number of dimensions: got {} and {}", first.rank(), tensor.rank()));
  }
  for (std::size_t i = 0; i < first.sizes().size(); ++i) {
    if (i == dimension || first.sizes()[i] == tensor.sizes()[i]) continue;
    throw Error(
        fmt::format("Sizes of tensors must match except in dimension {}. Expected size {} but got size {} for "
                    "tensor number {} in the list.",
                    dimension, first.sizes()[i], tensor.sizes()[i], number));
  }
}

void require_one_device(const std::vector<Tensor>& tensors, const Tensor& out) {
  const Device device = out.defined() ? out.device() : tensors.front().device();
  for (const Tensor& tensor : tensors) {
    if (tensor.device() == device) continue;
    throw Error(fmt::format("Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
                            device.text(), tensor.device().text()));
  }
}

DType common_dtype(const std::vector<Tensor>& tensors) {
  ResultType type;
  for (const Tensor& tensor : tensors) type.add(tensor);
  return type.dtype();
}

/// The result of those sizes: a new tensor, or the one that is there, checked and resized.
Tensor result_for(const Destination& destination, const std::vector<Tensor>& tensors, const Sizes& sizes) {
  const DType dtype = common_dtype(tensors);
  const Tensor& there = destination.tensor;
  if (!there.defined()) return make_empty(sizes, dtype, tensors.front().device());
  if (!can_cast(dtype, there.dtype())) {
    throw Error(fmt::format("torch.cat(): input types can't be cast to the desired output type {}",
                            to_error_text(there.dtype())));
  }
  require_no_internal_overlap(there);
  for (const Tensor& tensor : tensors) require_no_partial_overlap(there, tensor);
  if (there.sizes() != sizes) resize(there, sizes);
  return there;
}

/// `size` slices of the result along the dimension, from `first` on.
Tensor part_of(const Tensor& result, std::size_t dimension, std::int64_t first, std::int64_t size) {
  Geometry geometry = result.geometry();
  geometry.sizes[dimension] = size;
  geometry.offset += first * geometry.strides[dimension];
  return result.with_geometry(geometry);
}

Tensor join(const Destination& destination, const std::vector<Tensor>& tensors, std::int64_t dim) {
  if (tensors.empty()) throw ValueError("torch.cat(): expected a non-empty list of Tensors");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].rank() > 0) continue;
    throw Error(fmt::format("zero-dimensional tensor (at position {}) cannot be concatenated", i));
  }
  require_one_device(tensors, destination.tensor);
  const auto found = std::ranges::find_if_not(tensors, is_left_out);
  if (found == tensors.end()) return result_for(destination, tensors, {0});
  const auto dimension = static_cast<std::size_t>(wrap_dimension(dim, found->rank()));
  Sizes sizes = found->sizes();
  sizes[dimension] = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (is_left_out(tensors[i])) continue;
    require_fit(*found, tensors[i], dimension, i);
    sizes[dimension] += tensors[i].sizes()[dimension];
  }
  const Tensor result = result_for(destination, tensors, sizes);
  std::int64_t first = 0;
  for (const Tensor& tensor : tensors) {
    if (is_left_out(tensor)) continue;
    const std::int64_t size = tensor.sizes()[dimension];
    if (tensor.count() > 0) copy_(part_of(result, dimension, first, size), tensor);
    first += size;
  }
  return result;
}

Tensor join_side_by_side(const Destination& destination, const std::vector<Tensor>& tensors, std::int64_t dim) {
  if (tensors.empty()) throw Error("stack expects a non-empty TensorList");
  const Tensor& first = tensors.front();
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    if (tensors[i].sizes() == first.sizes()) continue;
    throw Error(fmt::format("stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}",
                            to_text(first.sizes()), to_text(tensors[i].sizes()), i));
  }
  const std::int64_t dimension = wrap_dimension(dim, first.rank() + 1);
  std::vector<Tensor> widened;
  for (const Tensor& tensor : tensors) {
    Geometry geometry = tensor.geometry();
    geometry.sizes.insert(geometry.sizes.begin() + dimension, 1);
    geometry.strides.insert(geometry.strides.begin() + dimension, 1);
    widened.push_back(tensor.with_geometry(geometry));
  }
  return join(destination, widened, dimension);
}

}  // namespace

std::vector<Entry> define() {
  return joined({structured<&join>({}, Cat{}, cat_out), structured<&join_side_by_side>({}, Stack{}, stack_out)});
}

}  // namespace gpucheck::tensor::operators::in_joining::cat
