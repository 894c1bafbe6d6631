#include "tensor/view.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucheck::tensor {

Shape shape_of(const Layout& layout) { return {layout.sizes, layout.sizes + layout.rank}; }

Layout contiguous_layout(const Shape& shape) {
  if (shape.size() > Layout::max_rank) {
    throw ShapeError(fmt::format("{} dimensions are more than a view can have ({})", shape.size(), Layout::max_rank));
  }
  Layout layout{.rank = shape.size()};
  std::size_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    layout.sizes[i] = shape[i];
    layout.strides[i] = stride;
    stride *= shape[i];
  }
  return layout;
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  // The last dimensions stand below each other.
  const auto size = [&result](const Shape& shape, std::size_t i) {
    const std::size_t missing = result.size() - shape.size();
    return i < missing ? 1 : shape[i - missing];
  };
  for (std::size_t i = result.size(); i-- > 0;) {
    const std::size_t of_a = size(a, i);
    const std::size_t of_b = size(b, i);
    if (of_a != of_b && of_a != 1 && of_b != 1) {
      throw ShapeError(
          fmt::format("The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}",
                      of_a, of_b, i));
    }
    result[i] = of_a == 1 ? of_b : of_a;
  }
  return result;
}

Layout expand_layout(const Layout& layout, const Shape& shape) {
  Layout result = contiguous_layout(shape);
  if (shape.size() < layout.rank) {
    throw ShapeError(fmt::format(
        "expand: the number of sizes provided ({}) must be greater or equal to the number of dimensions in the tensor "
        "({})",
        shape.size(), layout.rank));
  }
  const std::size_t missing = shape.size() - layout.rank;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t existing = i < missing ? 1 : layout.sizes[i - missing];
    if (existing != shape[i] && existing != 1) {
      throw ShapeError(fmt::format(
          "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension "
          "{}.  Target sizes: [{}].  Tensor sizes: [{}]",
          shape[i], existing, i, fmt::join(shape, ", "), fmt::join(shape_of(layout), ", ")));
    }
    result.strides[i] = i < missing || existing != shape[i] ? 0 : layout.strides[i - missing];
  }
  return result;
}

}  // namespace gpucheck::tensor
