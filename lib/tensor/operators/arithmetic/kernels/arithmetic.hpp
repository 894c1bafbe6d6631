#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

/// a + b; whole numbers wrap around.
template <typename Number>
GPUCHECK_HOST_DEVICE Number sum_of(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>) {
    return static_cast<Number>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}

/// a b; whole numbers wrap around.
template <typename Number>
GPUCHECK_HOST_DEVICE Number product_of(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>) {
    return static_cast<Number>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  } else {
    return a * b;
  }
}

/// a + b
template <typename Number>
struct Add {
  static constexpr std::string_view name = "add";
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b) const { return sum_of(a, b); }
};

/// a + alpha b
template <typename Number>
struct AddScaled {
  static constexpr std::string_view name = "add_scaled";
  Number alpha;
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b) const { return sum_of(a, product_of(alpha, b)); }
};

/// a b
template <typename Number>
struct Mul {
  static constexpr std::string_view name = "mul";
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b) const { return product_of(a, b); }
};

/// a / b
template <typename Number>
struct Div {
  static constexpr std::string_view name = "div";
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b) const { return a / b; }
};

namespace families {
using arithmetic = Joined<PointwiseFamily<Add, 2, float, double, std::int64_t, Complex<float>, Complex<double>>,
                          PointwiseFamily<AddScaled, 2, float, double, std::int64_t, Complex<float>, Complex<double>>,
                          PointwiseFamily<Mul, 2, float, double, std::int64_t, Complex<float>, Complex<double>>,
                          PointwiseFamily<Div, 2, float, double, Complex<float>, Complex<double>>>;
}
template <typename Functor>
requires(families::arithmetic::has<Functor>) struct FamilyOf<Functor> : families::arithmetic {
};

}  // namespace gpucheck::device::kernels
