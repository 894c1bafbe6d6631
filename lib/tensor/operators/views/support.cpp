#include "tensor/operators/views/support.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::tensor::operators::in_views {

Sizes inferred_sizes(const Sizes& sizes, std::int64_t count) {
  const auto misfit = [&] {
    return Error(fmt::format("shape '{}' is invalid for input of size {}", to_text(sizes), count));
  };
  std::int64_t known = 1;
  std::optional<std::size_t> inferred;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (inferred) throw Error("only one dimension can be inferred");
      inferred = i;
    } else if (sizes[i] < 0) {
      throw Error(fmt::format("invalid shape dimension {} at index {} of shape {}", sizes[i], i, to_text(sizes)));
    } else if (__builtin_mul_overflow(known, sizes[i], &known)) {
      throw misfit();
    }
  }
  if (!inferred) {
    if (known != count) throw misfit();
    return sizes;
  }
  if (known == 0) {
    throw Error(fmt::format(
        "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size -1 can be "
        "any value and is ambiguous",
        to_text(sizes)));
  }
  if (count % known != 0) throw misfit();
  Sizes found = sizes;
  found[*inferred] = count / known;
  return found;
}

std::optional<Sizes> strides_of_view(const Tensor& tensor, const Sizes& sizes) {
  if (tensor.count() == 0) return tensor.sizes() == sizes ? tensor.strides() : contiguous_strides(sizes);
  Sizes strides(sizes.size(), 1);
  if (tensor.sizes().empty()) return strides;
  // From the end: dimensions of the tensor that continue each other are a chunk, which new dimensions must fill.
  std::size_t view_end = sizes.size();
  std::int64_t chunk_stride = tensor.strides().back();
  std::int64_t chunk = 1;
  std::int64_t filled = 1;
  for (std::size_t i = tensor.sizes().size(); i-- > 0;) {
    chunk *= tensor.sizes()[i];
    const bool ends = i == 0 || (tensor.sizes()[i - 1] != 1 && tensor.strides()[i - 1] != chunk * chunk_stride);
    if (!ends) continue;
    while (view_end > 0 && (filled < chunk || sizes[view_end - 1] == 1)) {
      strides[view_end - 1] = filled * chunk_stride;
      filled *= sizes[view_end - 1];
      --view_end;
    }
    if (filled != chunk) return std::nullopt;
    if (i > 0) {
      chunk_stride = tensor.strides()[i - 1];
      chunk = 1;
      filled = 1;
    }
  }
  if (view_end != 0) return std::nullopt;
  return strides;
}

}  // namespace gpucheck::tensor::operators::in_views
