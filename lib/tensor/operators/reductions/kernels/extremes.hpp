#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "tensor/iterator/reduction_kernels.hpp"

/// Smallest and largest elements. NaN is both.
namespace gpucheck::device::kernels {

template <typename Number>
GPUCHECK_HOST_DEVICE bool is_not_a_number([[maybe_unused]] Number number) {
  if constexpr (std::is_floating_point_v<Number>) {
    return number != number;
  } else {
    return false;
  }
}

/// The smallest or the largest element.
template <typename Number>
struct Extreme {
  static constexpr std::string_view name = "extreme";
  using Accumulated = Number;
  bool is_smallest;
  GPUCHECK_HOST_DEVICE Number identity() const { return is_smallest ? largest : smallest; }
  GPUCHECK_HOST_DEVICE Number take(Number element, std::int64_t) const { return element; }
  GPUCHECK_HOST_DEVICE Number combine(Number a, Number b) const {
    if (is_not_a_number(a)) return a;
    return is_not_a_number(b) || (is_smallest ? b < a : b > a) ? b : a;
  }
  GPUCHECK_HOST_DEVICE Number finish(Number all) const { return all; }

 private:
  using Limits = std::numeric_limits<Number>;
  static constexpr Number largest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static constexpr Number smallest = Limits::has_infinity ? -Limits::infinity() : Limits::min();
};

/// The smallest or the largest element, and where the first of those that equal it is.
template <typename Number>
struct PlacedExtreme {
  static constexpr std::string_view name = "placed_extreme";
  struct Accumulated {
    Number value;
    std::int64_t place;  ///< below 0 where there was no element: no start value wins over one
  };
  bool is_smallest;
  GPUCHECK_HOST_DEVICE Accumulated identity() const { return {Number{}, -1}; }
  GPUCHECK_HOST_DEVICE Accumulated take(Number element, std::int64_t place) const { return {element, place}; }
  GPUCHECK_HOST_DEVICE Accumulated combine(const Accumulated& a, const Accumulated& b) const {
    if (b.place < 0) return a;
    return a.place < 0 || wins(b, a) ? b : a;
  }
  GPUCHECK_HOST_DEVICE Number finish(const Accumulated& all) const { return all.value; }
  GPUCHECK_HOST_DEVICE std::int64_t second(const Accumulated& all) const { return all.place; }

 private:
  [[nodiscard]] GPUCHECK_HOST_DEVICE bool wins(const Accumulated& b, const Accumulated& a) const {
    const bool is_nan = is_not_a_number(b.value);
    const bool other_is_nan = is_not_a_number(a.value);
    if (is_nan != other_is_nan) return is_nan;
    if (is_nan || b.value == a.value) return b.place < a.place;
    return is_smallest ? b.value < a.value : b.value > a.value;
  }
};

namespace families {
using extremes = Joined<ReductionFamily<Extreme, float, double, std::int64_t>,
                        AnyReductionFamily<PlacedExtreme, float, double, std::int64_t>>;
}
template <typename Functor>
requires(families::extremes::has<Functor>) struct FamilyOf<Functor> : families::extremes {
};

}  // namespace gpucheck::device::kernels
