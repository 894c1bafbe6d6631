#pragma once

#include <cmath>

#include "tensor/core/elements.hpp"

namespace gpucheck::device::kernels {

/// The type of a number's parts: its own where it is real.
template <typename Number>
struct PartOf {
  using type = Number;
};
template <typename Real>
struct PartOf<Complex<Real>> {
  using type = Real;
};
template <typename Number>
using Part = typename PartOf<Number>::type;

/// The square of the absolute value.
template <typename Number>
GPUCHECK_HOST_DEVICE Part<Number> squared_magnitude(Number number) {
  if constexpr (is_complex_number<Number>) {
    return number.real * number.real + number.imaginary * number.imaginary;
  } else {
    return number * number;
  }
}

template <typename Number>
GPUCHECK_HOST_DEVICE Part<Number> magnitude(Number number) {
  if constexpr (is_complex_number<Number>) {
    return std::hypot(number.real, number.imaginary);
  } else {
    return number < 0 ? -number : number;
  }
}

template <typename Number>
GPUCHECK_HOST_DEVICE Number scaled(Number number, Part<Number> by) {
  if constexpr (is_complex_number<Number>) {
    return {number.real * by, number.imaginary * by};
  } else {
    return number * by;
  }
}

}  // namespace gpucheck::device::kernels
