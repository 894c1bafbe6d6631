#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "tensor/core/errors.hpp"
#include "tensor/operators/views/views.hpp"

namespace gpucheck::tensor::operators::in_views::dimensions {
namespace {

std::size_t dimension_of(const Tensor& self, std::int64_t dimension) {
  return static_cast<std::size_t>(wrap_dimension(dimension, self.rank()));
}

void require_dimensions(const Tensor& self, std::string_view name) {
  if (self.rank() == 0) throw IndexError(fmt::format("{}() cannot be applied to a 0-dim tensor.", name));
}

Tensor make_selected(const Tensor& self, std::int64_t dimension, std::int64_t index) {
  require_dimensions(self, "select");
  const std::size_t place = dimension_of(self, dimension);
  Geometry geometry = self.geometry();
  const std::int64_t size = geometry.sizes[place];
  if (index < -size || index >= size) {
    throw IndexError(fmt::format("select(): index {} out of range for tensor of size {} at dimension {}", index,
                                 to_text(self.sizes()), dimension));
  }
  geometry.offset += (index < 0 ? index + size : index) * geometry.strides[place];
  geometry.sizes.erase(geometry.sizes.begin() + static_cast<std::ptrdiff_t>(place));
  geometry.strides.erase(geometry.strides.begin() + static_cast<std::ptrdiff_t>(place));
  return self.with_geometry(std::move(geometry));
}

Tensor make_slice(const Tensor& self, std::int64_t dimension, std::optional<std::int64_t> start,
                  std::optional<std::int64_t> end, std::int64_t step) {
  if (self.rank() == 0) throw Error("slice() cannot be applied to a 0-dim tensor.");
  const std::size_t place = dimension_of(self, dimension);
  if (step <= 0) throw Error("slice step must be positive");
  Geometry geometry = self.geometry();
  const std::int64_t size = geometry.sizes[place];
  const auto wrapped = [size](std::int64_t at) { return at < 0 ? at + size : at; };
  const std::int64_t first = std::clamp<std::int64_t>(wrapped(start.value_or(0)), 0, size);
  const std::int64_t last = std::clamp<std::int64_t>(wrapped(end.value_or(size)), first, size);
  geometry.offset += first * geometry.strides[place];
  geometry.sizes[place] = (last - first + step - 1) / step;
  geometry.strides[place] *= step;
  return self.with_geometry(std::move(geometry));
}

Tensor make_narrow(const Tensor& self, std::int64_t dimension, std::int64_t start, std::int64_t length) {
  if (self.rank() == 0) throw Error("narrow() cannot be applied to a 0-dim tensor.");
  if (length < 0) throw Error("narrow(): length must be non-negative.");
  const std::int64_t size = self.size(dimension);
  if (start < -size || start > size) {
    throw IndexError(
        fmt::format("Dimension out of range (expected to be in range of [{}, {}], but got {})", -size, size, start));
  }
  const std::int64_t first = start < 0 ? start + size : start;
  if (first > size - length) {
    throw Error(fmt::format("start ({}) + length ({}) exceeds dimension size ({}).", first, length, size));
  }
  return slice(self, dimension, first, first + length);
}

Tensor exchanged(const Tensor& self, std::size_t a, std::size_t b) {
  Geometry geometry = self.geometry();
  std::swap(geometry.sizes[a], geometry.sizes[b]);
  std::swap(geometry.strides[a], geometry.strides[b]);
  return self.with_geometry(std::move(geometry));
}

Tensor make_transposed(const Tensor& self, std::int64_t dim0, std::int64_t dim1) {
  const std::size_t a = dimension_of(self, dim0);
  const std::size_t b = dimension_of(self, dim1);
  return self.rank() == 0 ? self.with_geometry(self.geometry()) : exchanged(self, a, b);
}

Tensor make_t(const Tensor& self) {
  if (self.rank() > 2)
    throw Error(fmt::format("t() expects a tensor with <= 2 dimensions, but self is {}D", self.rank()));
  return self.rank() < 2 ? self.with_geometry(self.geometry()) : exchanged(self, 0, 1);
}

Tensor make_permuted(const Tensor& self, const Sizes& dims) {
  if (dims.size() != self.sizes().size()) {
    throw Error(
        fmt::format("permute(): number of dimensions in the tensor input does not match the length of the desired "
                    "ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
                    self.rank(), dims.size()));
  }
  Geometry geometry{{}, {}, self.offset()};
  boost::container::static_vector<bool, max_rank> used(dims.size(), false);
  for (const std::int64_t dimension : dims) {
    const std::size_t place = dimension_of(self, dimension);
    if (std::exchange(used[place], true)) throw Error("permute(): duplicate dims are not allowed.");
    geometry.sizes.push_back(self.sizes()[place]);
    geometry.strides.push_back(self.strides()[place]);
  }
  return self.with_geometry(std::move(geometry));
}

Tensor make_unsqueezed(const Tensor& self, std::int64_t dimension) {
  const std::int64_t place = wrap_dimension(dimension, self.rank() + 1);
  if (self.sizes().size() == max_rank) throw Error(fmt::format("a tensor has at most {} dimensions", max_rank));
  Geometry geometry = self.geometry();
  const auto at = static_cast<std::size_t>(place);
  const std::int64_t stride = at < geometry.sizes.size() ? geometry.sizes[at] * geometry.strides[at] : 1;
  geometry.sizes.insert(geometry.sizes.begin() + place, 1);
  geometry.strides.insert(geometry.strides.begin() + place, stride);
  return self.with_geometry(std::move(geometry));
}

/// Without dimensions of size 1: all, or this one.
Tensor squeezed(const Tensor& self, std::optional<std::size_t> only) {
  Geometry geometry{{}, {}, self.offset()};
  for (std::size_t i = 0; i < self.sizes().size(); ++i) {
    if (self.sizes()[i] == 1 && (!only || *only == i)) continue;
    geometry.sizes.push_back(self.sizes()[i]);
    geometry.strides.push_back(self.strides()[i]);
  }
  return self.with_geometry(std::move(geometry));
}
Tensor make_squeezed(const Tensor& self) { return squeezed(self, std::nullopt); }
Tensor make_squeezed_in(const Tensor& self, std::int64_t dimension) {
  return squeezed(self, dimension_of(self, dimension));
}

}  // namespace

std::vector<Entry> define() {
  return {SelectInt::entry<&make_selected>({}),
          SliceTensor::entry<&make_slice>({}),
          Narrow::entry<&make_narrow>({.is_composite = true}),
          T::entry<&make_t>({}),
          TransposeInt::entry<&make_transposed>({}),
          Permute::entry<&make_permuted>({}),
          Unsqueeze::entry<&make_unsqueezed>({}),
          SqueezeDefault::entry<&make_squeezed>({}),
          SqueezeDim::entry<&make_squeezed_in>({})};
}

}  // namespace gpucheck::tensor::operators::in_views::dimensions
