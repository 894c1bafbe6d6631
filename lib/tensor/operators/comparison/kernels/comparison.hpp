#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

enum class Relation : std::uint8_t {
  equal,
  not_equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  both,    ///< neither is zero
  either,  ///< not both are zero
  one,     ///< exactly one is not zero
};

/// Whether two numbers are in a relation, the same for all elements. Complex numbers have no order.
template <typename Number>
struct Compare {
  static constexpr std::string_view name = "compare";
  Relation relation;

  GPUCHECK_HOST_DEVICE bool operator()(Number a, Number b) const {
    switch (relation) {
      case Relation::equal:
        return a == b;
      case Relation::not_equal:
        return !(a == b);
      case Relation::both:
        return is_set(a) && is_set(b);
      case Relation::either:
        return is_set(a) || is_set(b);
      case Relation::one:
        return is_set(a) != is_set(b);
      default:
        break;
    }
    if constexpr (!is_complex_number<Number>) {
      switch (relation) {
        case Relation::less:
          return a < b;
        case Relation::less_or_equal:
          return a <= b;
        case Relation::greater:
          return a > b;
        default:
          return a >= b;
      }
    }
    return false;
  }

 private:
  static GPUCHECK_HOST_DEVICE bool is_set(Number a) { return !(a == Number{}); }
};

/// Whether a number is finite, or else whether it is infinite: a complex one where either part is.
template <typename Number>
struct Classify {
  static constexpr std::string_view name = "classify";
  bool asks_finite;
  GPUCHECK_HOST_DEVICE bool operator()(Number a) const {
    if constexpr (is_complex_number<Number>) {
      return asks_finite ? std::isfinite(a.real) && std::isfinite(a.imaginary)
                         : std::isinf(a.real) || std::isinf(a.imaginary);
    } else {
      return asks_finite ? std::isfinite(a) : std::isinf(a);
    }
  }
};

namespace families {
using comparison = Joined<StridedFamily<Compare, 2, float, double, std::int64_t, Complex<float>, Complex<double>>,
                          StridedFamily<Classify, 1, float, double, Complex<float>, Complex<double>>>;
}
template <typename Functor>
requires(families::comparison::has<Functor>) struct FamilyOf<Functor> : families::comparison {
};

}  // namespace gpucheck::device::kernels
