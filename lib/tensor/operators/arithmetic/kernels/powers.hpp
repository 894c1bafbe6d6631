#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

/// a to the power of b. Whole numbers wrap around; to a power below zero 1 stays 1, -1 alternates, others become 0.
template <typename Number>
struct Power {
  static constexpr std::string_view name = "pow";

  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b) const {
    if constexpr (std::is_integral_v<Number>) {
      return of_whole(a, b);
    } else if constexpr (is_complex_number<Number>) {
      return of_complex(a, b);
    } else {
      if (b == 3) return a * a * a;
      if (b == -1) return 1 / a;
      if (b == -2) return 1 / (a * a);
      return std::pow(a, b);
    }
  }

 private:
  static GPUCHECK_HOST_DEVICE Number of_whole(Number a, Number b) {
    if (b < 0) {
      if (a == 1) return 1;
      if (a == -1) return b % 2 == 0 ? 1 : -1;
      return 0;
    }
    std::uint64_t result = 1;
    auto factor = static_cast<std::uint64_t>(a);
    for (auto left = static_cast<std::uint64_t>(b); left != 0; left >>= 1U, factor *= factor) {
      if ((left & 1U) != 0) result *= factor;
    }
    return static_cast<Number>(result);
  }
  /// exp(b log a)
  static GPUCHECK_HOST_DEVICE Number of_complex(Number a, Number b) {
    if (b.real == 0 && b.imaginary == 0) return {1, 0};
    if (a.real == 0 && a.imaginary == 0) return {0, 0};
    const Number exponent = b * Number{std::log(std::hypot(a.real, a.imaginary)), std::atan2(a.imaginary, a.real)};
    const auto size = std::exp(exponent.real);
    return {size * std::cos(exponent.imaginary), size * std::sin(exponent.imaginary)};
  }
};

namespace families {
using powers = StridedFamily<Power, 2, float, double, std::int64_t, Complex<float>, Complex<double>>;
}
template <typename Functor>
requires(families::powers::has<Functor>) struct FamilyOf<Functor> : families::powers {
};

}  // namespace gpucheck::device::kernels
