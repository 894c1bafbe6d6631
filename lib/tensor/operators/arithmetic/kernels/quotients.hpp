#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

enum class QuotientOperation : std::uint8_t {
  truncated,  ///< towards zero
  floored,    ///< towards minus infinity
  fmod,       ///< what the truncated quotient leaves
  remainder,  ///< what the floored quotient leaves
};

/// Whole quotients and what they leave. Of whole numbers by zero: -1 and the dividend, where a host must not stop.
template <typename Number>
struct Quotient {
  static constexpr std::string_view name = "quotient";
  QuotientOperation operation;

  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b) const {
    if constexpr (std::is_integral_v<Number>) {
      return of_whole(a, b);
    } else {
      if (operation == QuotientOperation::truncated) return std::trunc(a / b);
      const Number left = std::fmod(a, b);
      if (operation == QuotientOperation::fmod) return left;
      const bool is_beyond = left != 0 && (left < 0) != (b < 0);
      if (operation == QuotientOperation::remainder) return is_beyond ? left + b : left;
      return floored(a, b, left, is_beyond);
    }
  }

 private:
  GPUCHECK_HOST_DEVICE Number of_whole(Number a, Number b) const {
    const bool is_quotient = operation <= QuotientOperation::floored;
    if (b == 0) return is_quotient ? -1 : a;
    if (b == -1) return is_quotient ? static_cast<Number>(-static_cast<std::uint64_t>(a)) : 0;
    const Number quotient = a / b;
    const Number left = a % b;
    const bool is_beyond = left != 0 && (left < 0) != (b < 0);
    switch (operation) {
      case QuotientOperation::truncated:
        return quotient;
      case QuotientOperation::floored:
        return is_beyond ? quotient - 1 : quotient;
      case QuotientOperation::fmod:
        return left;
      default:
        return is_beyond ? left + b : left;
    }
  }
  /// The quotient from what is left, so that the rounding of a / b does not lead to the next whole number.
  static GPUCHECK_HOST_DEVICE Number floored(Number a, Number b, Number left, bool is_beyond) {
    if (b == 0) return a / b;
    const Number quotient = (a - left) / b - (is_beyond ? 1 : 0);
    if (quotient == 0) return std::copysign(Number{0}, a / b);
    const Number below = std::floor(quotient);
    return quotient - below > Number{0.5} ? below + 1 : below;
  }
};

namespace families {
using quotients = StridedFamily<Quotient, 2, float, double, std::int64_t>;
}
template <typename Functor>
requires(families::quotients::has<Functor>) struct FamilyOf<Functor> : families::quotients {
};

}  // namespace gpucheck::device::kernels
