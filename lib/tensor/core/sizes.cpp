#include "tensor/core/sizes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensor/core/errors.hpp"

namespace gpucheck::tensor {

std::string to_text(const Sizes& sizes) { return fmt::format("[{}]", fmt::join(sizes, ", ")); }

std::int64_t element_count(const Sizes& sizes) {
  std::int64_t count = 1;
  bool is_too_many = false;
  for (const std::int64_t size : sizes) {
    if (size < 0)
      throw Error(fmt::format("Trying to create tensor with negative dimension {}: {}", size, to_text(sizes)));
    is_too_many |= __builtin_mul_overflow(count, size, &count);
  }
  if (is_too_many && std::ranges::find(sizes, 0) == sizes.end()) {
    throw Error("numel: integer multiplication overflow");
  }
  return is_too_many ? 0 : count;
}

Sizes contiguous_strides(const Sizes& sizes) {
  Sizes strides(sizes.size());
  std::int64_t step = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<std::int64_t>(sizes[i], 1);
  }
  return strides;
}

std::int64_t wrap_dimension(std::int64_t dimension, std::int64_t rank) {
  const std::int64_t dimensions = std::max<std::int64_t>(rank, 1);
  if (dimension < -dimensions || dimension >= dimensions) {
    throw IndexError(fmt::format("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                                 -dimensions, dimensions - 1, dimension));
  }
  return dimension < 0 ? dimension + dimensions : dimension;
}

Sizes broadcast_sizes(const Sizes& a, const Sizes& b) {
  Sizes result(std::max(a.size(), b.size()));
  for (std::size_t from_end = 1; from_end <= result.size(); ++from_end) {
    const std::int64_t one = from_end <= a.size() ? a[a.size() - from_end] : 1;
    const std::int64_t other = from_end <= b.size() ? b[b.size() - from_end] : 1;
    if (one != other && one != 1 && other != 1) {
      throw Error(
          fmt::format("The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}",
                      one, other, result.size() - from_end));
    }
    result[result.size() - from_end] = one == 1 ? other : one;
  }
  return result;
}

}  // namespace gpucheck::tensor
