#pragma once

#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace gpucheck::tensor {

/// The most dimensions that a tensor can have.
inline constexpr std::size_t max_rank = 12;

/// A number for each dimension, from the outermost to the innermost: sizes, strides in elements, or the dimensions
/// themselves. A list longer than `max_rank` cannot be made: std::bad_alloc.
using Sizes = boost::container::static_vector<std::int64_t, max_rank>;

/// Sizes, or none. One number stands for a list of one, as PyTorch takes it.
class OptionalSizes : public std::optional<Sizes> {
 public:
  using std::optional<Sizes>::optional;
  OptionalSizes(std::initializer_list<std::int64_t> sizes) : std::optional<Sizes>(Sizes(sizes)) {}
  OptionalSizes(std::int64_t size) : OptionalSizes({size}) {}  // NOLINT(google-explicit-constructor): as above
};

/// "[2, 3]", as PyTorch writes sizes.
[[nodiscard]] std::string to_text(const Sizes& sizes);

/// How many elements a tensor of these sizes has: 1 without dimensions. @throws Error beyond 2^63 - 1 and for a size
/// below 0, with PyTorch's text.
[[nodiscard]] std::int64_t element_count(const Sizes& sizes);

/// The strides of elements that lie one after another, the last dimension's next to each other.
[[nodiscard]] Sizes contiguous_strides(const Sizes& sizes);

/// The dimension that is meant, counted from the end where it is negative. A tensor without dimensions has one here.
/// @throws IndexError with PyTorch's text.
[[nodiscard]] std::int64_t wrap_dimension(std::int64_t dimension, std::int64_t rank);

/// The shape that tensors of both have in common once dimensions of size 1, and missing outer ones, are repeated.
/// @throws Error with PyTorch's text where they do not fit.
[[nodiscard]] Sizes broadcast_sizes(const Sizes& a, const Sizes& b);

}  // namespace gpucheck::tensor
