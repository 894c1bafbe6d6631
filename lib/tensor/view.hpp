#pragma once

#include <cstddef>
#include <vector>

#include "base/error.hpp"
#include "tensor/kernels/views.hpp"

namespace gpucheck::tensor {

/// Sizes of an array's dimensions, from the outermost to the innermost.
using Shape = std::vector<std::size_t>;
using Layout = device::kernels::Layout;
/// An array in device memory that somebody else owns: data, sizes, strides.
template <typename T>
using View = device::kernels::View<T>;

/// Shapes do not fit each other, or what is asked of them.
class ShapeError : public Error {
 public:
  using Error::Error;
};

[[nodiscard]] Shape shape_of(const Layout& layout);
/// Elements one after another, without gaps. @throws ShapeError beyond Layout::max_rank.
[[nodiscard]] Layout contiguous_layout(const Shape& shape);
/// The shape that arrays of shapes `a` and `b` have in common once dimensions of size 1,
/// and missing outer ones, are repeated. @throws ShapeError with PyTorch's text.
[[nodiscard]] Shape broadcast_shapes(const Shape& a, const Shape& b);
/// The same memory seen with another shape: dimensions of size 1, and missing outer
/// ones, are repeated with a stride of 0. @throws ShapeError with PyTorch's text.
[[nodiscard]] Layout expand_layout(const Layout& layout, const Shape& shape);

}  // namespace gpucheck::tensor
