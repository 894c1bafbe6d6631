#include "tensor/operators/indexing/places_support.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>

#include "tensor/core/errors.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/indexing/indexing.hpp"
#include "tensor/operators/indexing/kernels/indexed.hpp"

namespace gpucheck::tensor::operators::in_indexing {
namespace {

void require_mask_shape(const Tensor& self, const Tensor& mask, std::size_t first_dimension) {
  for (std::size_t i = 0; i < mask.sizes().size(); ++i) {
    const std::size_t dimension = first_dimension + i;
    if (dimension < self.sizes().size() && mask.sizes()[i] == self.sizes()[dimension]) continue;
    throw IndexError(
        fmt::format("The shape of the mask {} at index {} does not match the shape of the indexed tensor "
                    "{} at index {}",
                    to_text(mask.sizes()), i, to_text(self.sizes()), dimension));
  }
}

/// Whole numbers on self's device, one tensor for each dimension: a mask becomes as many as it has dimensions.
std::vector<Tensor> whole_indices(const Tensor& self, const std::vector<Tensor>& indices) {
  std::vector<Tensor> whole;
  for (const Tensor& index : indices) {
    if (!index.defined()) {
      whole.emplace_back();
      continue;
    }
    if (!index.device().is_host() && index.device() != self.device()) {
      throw Error(fmt::format("indices should be either on cpu or on the same device as the indexed tensor ({})",
                              self.device().text()));
    }
    if (index.dtype() == DType::boolean || index.dtype() == DType::uint8) {
      require_mask_shape(self, index, whole.size());
      const Tensor found = tensor::nonzero(to(index, self.device()));
      for (std::int64_t i = 0; i < index.rank(); ++i) {
        whole.push_back(
            found.with_geometry({{found.sizes()[0]}, {found.strides()[0]}, found.offset() + i * found.strides()[1]}));
      }
    } else if (index.dtype() == DType::int64 || index.dtype() == DType::int32) {
      whole.push_back(to(to(index, DType::int64), self.device()));
    } else {
      throw IndexError("tensors used as indices must be long, int, byte or bool tensors");
    }
  }
  return whole;
}

Sizes common_shape(const std::vector<Tensor>& indices) {
  Sizes shape;
  bool has_shape = false;
  for (const Tensor& index : indices) {
    if (!index.defined()) continue;
    try {
      shape = has_shape ? broadcast_sizes(shape, index.sizes()) : index.sizes();
    } catch (const Error&) {
      std::vector<std::string> shapes;
      for (const Tensor& one : indices) {
        if (one.defined()) shapes.push_back(to_text(one.sizes()));
      }
      throw IndexError(fmt::format("shape mismatch: indexing tensors could not be broadcast together with shapes {}",
                                   fmt::join(shapes, ", ")));
    }
    has_shape = true;
  }
  return shape;
}

void require_inside(const Tensor& self, const std::vector<Tensor>& indices) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i].defined()) continue;
    const std::int64_t size = self.sizes()[i];
    if (size == 0 && indices[i].count() > 0) {
      throw IndexError("index is out of bounds for dimension with size 0");
    }
    if (const auto outside = index_outside(indices[i], size, true)) {
      throw IndexError(fmt::format("index {} is out of bounds for dimension {} with size {}", *outside, i, size));
    }
  }
}

/// Steps of one element, for the indices of several dimensions together.
Tensor joined_steps(const Tensor& self, const std::vector<Tensor>& indices, const Sizes& shape) {
  const Tensor steps = zeros(shape, DType::int64, self.device());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i].defined() || steps.count() == 0) continue;
    device::kernels::AddSteps kernel{};
    kernel.index = indices[i].data_as<const std::int64_t>();
    kernel.steps = steps.data_as<std::int64_t>();
    kernel.elements = steps.count();
    kernel.size = self.sizes()[i];
    kernel.step = self.strides()[i];
    const Sizes strides = repeated_strides(indices[i], shape);
    for (std::size_t k = shape.size(); k-- > 0;) {
      const std::uint32_t place = kernel.plan.rank++;
      kernel.plan.sizes[place] = shape[k];
      kernel.plan.strides[place][0] = steps.strides()[k] * std::int64_t{sizeof(std::int64_t)};
      kernel.plan.strides[place][1] = strides[k] * std::int64_t{sizeof(std::int64_t)};
    }
    detail::run_kernel(kernel, self.device());
  }
  return steps;
}

/// Appends a dimension to the loop, which is one of self's or one of the indices'.
void append(IndexedPlan& plan, std::int64_t size, std::int64_t in_self, std::int64_t in_index) {
  if (plan.shape.size() == max_rank) {
    throw Error(fmt::format("a tensor can have at most {} dimensions, and an indexed one would have more", max_rank));
  }
  plan.shape.push_back(size);
  plan.indexed.strides.push_back(in_self);
  plan.index.strides.push_back(in_index);
}

}  // namespace

Sizes repeated_strides(const Tensor& tensor, const Sizes& shape) {
  Sizes strides(shape.size(), 0);
  for (std::size_t from_end = 1; from_end <= tensor.sizes().size(); ++from_end) {
    const std::size_t place = tensor.sizes().size() - from_end;
    if (tensor.sizes()[place] != 1) strides[shape.size() - from_end] = tensor.strides()[place];
  }
  return strides;
}

IndexedPlan places_of(const Tensor& self, const std::vector<Tensor>& given) {
  const auto refuse_more_than = [&](std::size_t count) {
    if (count <= self.sizes().size()) return;
    throw IndexError(fmt::format("too many indices for tensor of dimension {} (got {})", self.rank(), count));
  };
  refuse_more_than(given.size());
  std::vector<Tensor> indices = whole_indices(self, given);
  refuse_more_than(indices.size());
  indices.resize(self.sizes().size());
  const Sizes shape = common_shape(indices);
  require_inside(self, indices);

  const auto is_defined = [](const Tensor& index) { return index.defined(); };
  const auto first = static_cast<std::size_t>(std::ranges::find_if(indices, is_defined) - indices.begin());
  const auto count = static_cast<std::size_t>(std::ranges::count_if(indices, is_defined));
  if (count == 0) throw IndexError("at least one index must be defined");
  const bool are_neighbours = std::all_of(indices.begin() + static_cast<std::ptrdiff_t>(first),
                                          indices.begin() + static_cast<std::ptrdiff_t>(first + count), is_defined);
  IndexedPlan plan;
  plan.indexed.tensor = self;
  const bool is_one = count == 1;
  plan.index.tensor = is_one ? indices[first] : joined_steps(self, indices, shape);
  plan.size = is_one ? self.sizes()[first] : INT64_MAX;
  plan.step = is_one ? self.strides()[first] : 1;
  plan.from_the_end = is_one;
  const auto append_indices = [&] {
    const Sizes strides = repeated_strides(plan.index.tensor, shape);
    for (std::size_t i = 0; i < shape.size(); ++i) append(plan, shape[i], 0, strides[i]);
  };
  // Dimensions of the indices take the place of those they are for, or come first where these lie apart.
  if (!are_neighbours) append_indices();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (i == first && are_neighbours) append_indices();
    if (!indices[i].defined()) append(plan, self.sizes()[i], self.strides()[i], 0);
  }
  return plan;
}

}  // namespace gpucheck::tensor::operators::in_indexing
