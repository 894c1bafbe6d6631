#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

/// The number whose error function is y. A device has a function for it; a host finds it step by step.
template <typename Real>
GPUCHECK_HOST_DEVICE Real inverse_erf(Real y) {
#if defined(__CUDA_ARCH__)
  return ::erfinv(y);
#else
  const Real size = std::fabs(y);
  if (!(size <= 1)) return std::numeric_limits<Real>::quiet_NaN();
  if (size == 1) return std::copysign(std::numeric_limits<Real>::infinity(), y);
  constexpr double pi = 3.14159265358979323846;
  // Within some thousandths (Winitzki, "A handy approximation for the error function and its inverse", 2008).
  constexpr double a = 0.147;
  const double goal = size;
  const double logarithm = std::log((1 - goal) * (1 + goal));
  const double middle = 2 / (pi * a) + logarithm / 2;
  double x = std::sqrt(std::sqrt(middle * middle - logarithm / a) - middle);
  // Halley's method: each step triples the digits. Near 1 what is missing to it has more digits.
  constexpr int steps = 3;
  for (int i = 0; i < steps; ++i) {
    const double missed = goal > 0.5 ? (1 - goal) - std::erfc(x) : std::erf(x) - goal;
    const double step = missed / (2 / std::sqrt(pi) * std::exp(-x * x));
    x -= step / (1 + x * step);
  }
  return std::copysign(static_cast<Real>(x), y);
#endif
}

enum class ElementaryFunction : std::uint8_t {
  exp,
  expm1,
  exp2,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  erf,
  erfinv,
  floor,
  ceil,
  round,
  trunc,
};

/// One of the functions, the same for all elements: a kernel for each would be large, and its time matters to nobody.
template <typename Number>
struct Elementary {
  static constexpr std::string_view name = "elementary";
  ElementaryFunction function;

  GPUCHECK_HOST_DEVICE Number operator()(Number a) const {
    switch (function) {
      case ElementaryFunction::exp:
        return std::exp(a);
      case ElementaryFunction::expm1:
        return std::expm1(a);
      case ElementaryFunction::exp2:
        return std::exp2(a);
      case ElementaryFunction::log:
        return std::log(a);
      case ElementaryFunction::log2:
        return std::log2(a);
      case ElementaryFunction::log10:
        return std::log10(a);
      case ElementaryFunction::log1p:
        return std::log1p(a);
      case ElementaryFunction::erf:
        return std::erf(a);
      case ElementaryFunction::erfinv:
        return inverse_erf(a);
      case ElementaryFunction::floor:
        return std::floor(a);
      case ElementaryFunction::ceil:
        return std::ceil(a);
      case ElementaryFunction::round:
        return std::rint(a);
      case ElementaryFunction::trunc:
        return std::trunc(a);
      default:
        return of_angle(a);
    }
  }

 private:
  GPUCHECK_HOST_DEVICE Number of_angle(Number a) const {
    switch (function) {
      case ElementaryFunction::sin:
        return std::sin(a);
      case ElementaryFunction::cos:
        return std::cos(a);
      case ElementaryFunction::tan:
        return std::tan(a);
      case ElementaryFunction::asin:
        return std::asin(a);
      case ElementaryFunction::acos:
        return std::acos(a);
      case ElementaryFunction::atan:
        return std::atan(a);
      case ElementaryFunction::sinh:
        return std::sinh(a);
      default:
        return std::cosh(a);
    }
  }
};

enum class ComplexFunction : std::uint8_t { exp, log, sigmoid };

/// The same of complex numbers, for those that have them.
template <typename Number>
struct OfComplex {
  static constexpr std::string_view name = "of_complex";
  ComplexFunction function;

  GPUCHECK_HOST_DEVICE Number operator()(Number a) const {
    if (function == ComplexFunction::exp) return exponential(a);
    if (function == ComplexFunction::sigmoid) return Number{1, 0} / (Number{1, 0} + exponential(-a));
    return {std::log(std::hypot(a.real, a.imaginary)), std::atan2(a.imaginary, a.real)};
  }

 private:
  static GPUCHECK_HOST_DEVICE Number exponential(Number a) {
    const auto size = std::exp(a.real);
    if (a.imaginary == 0) return {size, a.imaginary};
    return {size * std::cos(a.imaginary), size * std::sin(a.imaginary)};
  }
};

/// The angle of the point (b, a).
template <typename Number>
struct Atan2 {
  static constexpr std::string_view name = "atan2";
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b) const { return std::atan2(a, b); }
};

namespace families {
using functions =
    Joined<StridedFamily<Elementary, 1, float, double>, StridedFamily<OfComplex, 1, Complex<float>, Complex<double>>,
           StridedFamily<Atan2, 2, float, double>>;
}
template <typename Functor>
requires(families::functions::has<Functor>) struct FamilyOf<Functor> : families::functions {
};

}  // namespace gpucheck::device::kernels
