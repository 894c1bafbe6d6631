#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "tensor/operators/arithmetic/kernels/arithmetic.hpp"

namespace gpucheck::device::kernels {

/// From `a` towards `b`, counted from the nearer end: where the weight is 1 the result is `b`.
template <typename Number>
struct Lerp {
  static constexpr std::string_view name = "lerp";
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b, Number weight) const {
    return std::fabs(weight) < Number{0.5} ? a + weight * (b - a) : b - (b - a) * (1 - weight);
  }
};

/// a + value b c, or a + value (b / c)
template <typename Number>
struct AddTerm {
  static constexpr std::string_view name = "add_term";
  Number value;
  bool is_quotient;
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b, Number c) const {
    if constexpr (!std::is_integral_v<Number>) {
      if (is_quotient) return a + value * (b / c);
    }
    return sum_of(a, product_of(product_of(value, b), c));
  }
};

namespace families {
using mixtures =
    Joined<PointwiseFamily<Lerp, 3, float, double>, PointwiseFamily<AddTerm, 3, float, double, std::int64_t>>;
}
template <typename Functor>
requires(families::mixtures::has<Functor>) struct FamilyOf<Functor> : families::mixtures {
};

}  // namespace gpucheck::device::kernels
