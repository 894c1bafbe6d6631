#pragma once

#include <cstdint>

#include "device/kernels/support/half.hpp"
#include "device/kernels/support/thread.hpp"

/// The 8-bit floating-point types, as storage: arithmetic is done in float. What they hold is
/// defined in "OCP 8-bit Floating Point Specification (OFP8)", revision 1.0, section 5.
/// Conversions round to nearest, ties to even, and take what is too large to the largest number,
/// as CUDA's `__NV_SATFINITE` does; the same on host and GPU.
namespace gpucheck::device::kernels {

namespace detail {

/// What tells one 8-bit type from the other.
struct Fp8Format {
  unsigned fraction_bits;
  int bias;
  std::uint8_t largest;        ///< number, without its sign
  std::uint8_t first_special;  ///< from here on: infinity or not a number
  std::uint8_t not_a_number;
};

template <unsigned fraction_bits>
GPUCHECK_HOST_DEVICE constexpr Fp8Format fp8_format() {
  if constexpr (fraction_bits == 3) return {3, 7, 0x7E, 0x7F, 0x7F};  // E4M3 has no infinity
  return {2, 15, 0x7B, 0x7C, 0x7F};
}

template <unsigned fraction_bits>
GPUCHECK_HOST_DEVICE std::uint8_t fp8_of(float value) {
  constexpr Fp8Format format = fp8_format<fraction_bits>();
  const std::uint32_t all = bits_of(value);
  const std::uint32_t sign = (all >> 24U) & 0x80U;
  const std::uint32_t magnitude = all & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint8_t>(sign | format.not_a_number);
  constexpr unsigned dropped = 23U - fraction_bits;
  constexpr std::uint32_t smallest_normal = static_cast<std::uint32_t>(128 - format.bias) << 23U;
  std::uint32_t code = 0;
  if (magnitude >= smallest_normal) {
    code = rounded_shift(magnitude - smallest_normal, dropped) + (1U << fraction_bits);
  } else {  // a number without its leading one
    const std::uint32_t lost = dropped + (smallest_normal >> 23U) - (magnitude >> 23U);
    const std::uint32_t significand = (magnitude & 0x7FFFFFU) | 0x800000U;
    if (lost <= 24U) code = rounded_shift(significand, lost);
  }
  if (code > format.largest) code = format.largest;
  return static_cast<std::uint8_t>(sign | code);
}

template <unsigned fraction_bits>
GPUCHECK_HOST_DEVICE float float_of_fp8(std::uint8_t bits) {
  constexpr Fp8Format format = fp8_format<fraction_bits>();
  const std::uint32_t sign = (bits & 0x80U) << 24U;
  const std::uint32_t code = bits & 0x7FU;
  constexpr std::uint32_t infinity = fraction_bits == 2 ? 0x7CU : 0x80U;
  if (code == infinity) return float_of(sign | 0x7F800000U);
  if (code >= format.first_special) return float_of(sign | 0x7FC00000U);
  const std::uint32_t exponent = code >> fraction_bits;
  const std::uint32_t fraction = code & ((1U << fraction_bits) - 1U);
  if (exponent == 0) {
    const std::uint32_t step = static_cast<std::uint32_t>(128 - format.bias - static_cast<int>(fraction_bits)) << 23U;
    const float value = static_cast<float>(fraction) * float_of(step);
    return sign == 0 ? value : -value;
  }
  const std::uint32_t biased = exponent + static_cast<std::uint32_t>(127 - format.bias);
  return float_of(sign | (biased << 23U) | (fraction << (23U - fraction_bits)));
}

}  // namespace detail

/// 4 bits of exponent, 4 of precision: up to 448, and no infinity.
struct Float8E4M3 {
  std::uint8_t bits = 0;

  Float8E4M3() = default;
  GPUCHECK_HOST_DEVICE explicit Float8E4M3(float value) : bits(detail::fp8_of<3>(value)) {}
  GPUCHECK_HOST_DEVICE explicit operator float() const { return detail::float_of_fp8<3>(bits); }
};

/// 5 bits of exponent, 3 of precision: up to 57344.
struct Float8E5M2 {
  std::uint8_t bits = 0;

  Float8E5M2() = default;
  GPUCHECK_HOST_DEVICE explicit Float8E5M2(float value) : bits(detail::fp8_of<2>(value)) {}
  GPUCHECK_HOST_DEVICE explicit operator float() const { return detail::float_of_fp8<2>(bits); }
};

}  // namespace gpucheck::device::kernels
