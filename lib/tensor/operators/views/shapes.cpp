#include <fmt/format.h>

#include "tensor/core/errors.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/views/support.hpp"
#include "tensor/operators/views/views.hpp"

namespace gpucheck::tensor::operators::in_views::shapes {
namespace {

Tensor make_view(const Tensor& self, const Sizes& size) {
  const Sizes sizes = inferred_sizes(size, self.count());
  const auto strides = strides_of_view(self, sizes);
  if (!strides) {
    throw Error(
        "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
        "contiguous "
        "subspaces). Use .reshape(...) instead.");
  }
  return self.with_geometry({sizes, *strides, self.offset()});
}

Tensor make_reshape(const Tensor& self, const Sizes& shape) {
  const Sizes sizes = inferred_sizes(shape, self.count());
  if (strides_of_view(self, sizes)) return view(self, sizes);
  return view(clone(self, MemoryFormat::contiguous_format), sizes);
}

Tensor make_flat(const Tensor& self, std::int64_t start, std::int64_t end) {
  const std::int64_t first = wrap_dimension(start, self.rank());
  const std::int64_t last = wrap_dimension(end, self.rank());
  if (first > last) throw Error("flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.rank() == 0) return reshape(self, {1});
  if (first == last) return self;
  Sizes sizes(self.sizes().begin(), self.sizes().begin() + first);
  sizes.push_back(1);
  for (std::int64_t i = first; i <= last; ++i) sizes.back() *= self.size(i);
  sizes.insert(sizes.end(), self.sizes().begin() + last + 1, self.sizes().end());
  return reshape(self, sizes);
}

Tensor make_strided(const Tensor& self, const Sizes& size, const Sizes& stride, std::optional<std::int64_t> offset) {
  return self.with_geometry({size, stride, offset.value_or(self.offset())});
}

Tensor make_expanded(const Tensor& self, const Sizes& size, bool) {
  const std::size_t rank = self.sizes().size();
  if (size.size() < rank) {
    throw Error(fmt::format(
        "expand(torch.{}Tensor{{{}}}, size={}): the number of sizes provided ({}) must be greater or equal to the "
        "number of "
        "dimensions in the tensor ({})",
        self.device().is_host() ? to_error_text(self.dtype()) : fmt::format("cuda.{}", to_error_text(self.dtype())),
        to_text(self.sizes()), to_text(size), size.size(), rank));
  }
  Geometry geometry{size, Sizes(size.size(), 0), self.offset()};
  for (std::size_t from_end = 1; from_end <= size.size(); ++from_end) {
    const std::size_t place = size.size() - from_end;
    std::int64_t& wanted = geometry.sizes[place];
    if (from_end > rank) {
      if (wanted < 0) {
        throw Error(
            fmt::format("The expanded size of the tensor ({}) isn't allowed in a leading, non-existing dimension {}",
                        wanted, place));
      }
      continue;
    }
    const std::int64_t present = self.sizes()[rank - from_end];
    if (wanted == -1) wanted = present;
    if (present != wanted && present != 1) {
      throw Error(
          fmt::format("The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton "
                      "dimension {}.  Target "
                      "sizes: {}.  Tensor sizes: {}",
                      wanted, present, place, to_text(size), to_text(self.sizes())));
    }
    if (present == wanted) geometry.strides[place] = self.strides()[rank - from_end];
  }
  return self.with_geometry(std::move(geometry));
}

Tensor make_alias(const Tensor& self) { return self.with_geometry(self.geometry()); }

}  // namespace

std::vector<Entry> define() {
  const Traits composite{.is_composite = true};
  return {ViewDefault::entry<&make_view>({}),    Reshape::entry<&make_reshape>(composite),
          Flatten::entry<&make_flat>(composite), AsStrided::entry<&make_strided>({}),
          Expand::entry<&make_expanded>({}),     AliasDefault::entry<&make_alias>({}),
          Detach::entry<&make_alias>({})};
}

}  // namespace gpucheck::tensor::operators::in_views::shapes
