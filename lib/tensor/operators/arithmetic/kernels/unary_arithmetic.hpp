#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

enum class UnaryOperation : std::uint8_t { neg, abs, sign, reciprocal, sqrt, rsqrt };

/// One of the operations, the same for all elements: so many cheap ones are not worth a kernel each.
template <typename Number>
struct UnaryArithmetic {
  static constexpr std::string_view name = "unary_arithmetic";
  UnaryOperation operation;

  GPUCHECK_HOST_DEVICE Number operator()(Number a) const {
    if (operation == UnaryOperation::neg) return negative(a);
    if constexpr (std::is_integral_v<Number>) {
      if (operation == UnaryOperation::abs) return a < 0 ? negative(a) : a;
      return Number{0 < a} - Number{a < 0};
    } else if constexpr (is_complex_number<Number>) {
      const Number one{1, 0};
      if (operation == UnaryOperation::reciprocal) return one / a;
      return operation == UnaryOperation::sqrt ? root(a) : one / root(a);
    } else {
      if (operation == UnaryOperation::abs) return std::fabs(a);
      if (operation == UnaryOperation::sign) return static_cast<Number>(0 < a) - static_cast<Number>(a < 0);
      if (operation == UnaryOperation::reciprocal) return 1 / a;
      return operation == UnaryOperation::sqrt ? std::sqrt(a) : inverse_root(a);
    }
  }

 private:
  static GPUCHECK_HOST_DEVICE Number negative(Number a) {
    if constexpr (std::is_integral_v<Number>) {
      return static_cast<Number>(-static_cast<std::uint64_t>(a));
    } else {
      return -a;
    }
  }
  static GPUCHECK_HOST_DEVICE Number inverse_root(Number a) {
#if defined(__CUDA_ARCH__)
    return rsqrt(a);
#else
    return 1 / std::sqrt(a);
#endif
  }
  /// The root with a real part not below 0, of the sign of the imaginary part.
  static GPUCHECK_HOST_DEVICE Number root(Number a) {
    const auto size = std::hypot(a.real, a.imaginary);
    if (size == 0) return {0, a.imaginary};
    // The larger part from a sum without cancellation, the other one from their product.
    const auto larger = std::sqrt((size + std::fabs(a.real)) / 2);
    const auto smaller = std::fabs(a.imaginary) / (2 * larger);
    const auto real = a.real < 0 ? smaller : larger;
    return {real, std::copysign(a.real < 0 ? larger : smaller, a.imaginary)};
  }
};

/// The absolute value of a complex number: a real one.
template <typename Number>
struct Magnitude {
  static constexpr std::string_view name = "magnitude";
  GPUCHECK_HOST_DEVICE auto operator()(Number a) const { return std::hypot(a.real, a.imaginary); }
};

namespace families {
using unary_arithmetic =
    Joined<PointwiseFamily<UnaryArithmetic, 1, float, double, std::int64_t, Complex<float>, Complex<double>>,
           StridedFamily<Magnitude, 1, Complex<float>, Complex<double>>>;
}
template <typename Functor>
requires(families::unary_arithmetic::has<Functor>) struct FamilyOf<Functor> : families::unary_arithmetic {
};

}  // namespace gpucheck::device::kernels
