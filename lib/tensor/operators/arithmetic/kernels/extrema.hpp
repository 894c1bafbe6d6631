#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

/// The greater of two numbers, or NaN where one is.
template <typename Number>
GPUCHECK_HOST_DEVICE Number greater_of(Number a, Number b) {
  if (a != a) return a;
  return a < b || b != b ? b : a;
}
/// The smaller of two numbers, or NaN where one is.
template <typename Number>
GPUCHECK_HOST_DEVICE Number smaller_of(Number a, Number b) {
  if (a != a) return a;
  return b < a || b != b ? b : a;
}

template <typename Number>
struct Extremum {
  static constexpr std::string_view name = "extremum";
  bool is_minimum;
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b) const {
    return is_minimum ? smaller_of(a, b) : greater_of(a, b);
  }
};

/// a, but not below `low`, and then not above `high`.
template <typename Number>
struct Clamp {
  static constexpr std::string_view name = "clamp";
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number low, Number high) const {
    return smaller_of(greater_of(a, low), high);
  }
};

namespace families {
using extrema = Joined<PointwiseFamily<Extremum, 2, float, double, std::int64_t>,
                       StridedFamily<Clamp, 3, float, double, std::int64_t>>;
}
template <typename Functor>
requires(families::extrema::has<Functor>) struct FamilyOf<Functor> : families::extrema {
};

}  // namespace gpucheck::device::kernels
