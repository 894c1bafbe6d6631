#pragma once

#include <cstdint>
#include <cstring>

#include "device/kernels/support/thread.hpp"

/// The 16-bit floating-point types, as storage: arithmetic is done in float. Conversions round
/// to nearest, ties to even, the same on host and GPU.
namespace gpucheck::device::kernels {

namespace detail {

GPUCHECK_HOST_DEVICE inline std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}
GPUCHECK_HOST_DEVICE inline float float_of(std::uint32_t bits) {
  float value = 0;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The upper bits of `value`, without its lowest `count`, rounded.
GPUCHECK_HOST_DEVICE inline std::uint32_t rounded_shift(std::uint32_t value, unsigned count) {
  const std::uint32_t odd = (value >> count) & 1U;
  return (value + (1U << (count - 1U)) - 1U + odd) >> count;
}

}  // namespace detail

/// IEEE 754 binary16: 5 bits of exponent, 11 of precision.
struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  GPUCHECK_HOST_DEVICE explicit Half(float value) {
#if defined(__CUDA_ARCH__)
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    // The instruction gives another number that is none.
    if (value != value) bits = static_cast<std::uint16_t>((detail::bits_of(value) >> 16U & 0x8000U) | 0x7E00U);
#else
    const std::uint32_t all = detail::bits_of(value);
    const std::uint32_t sign = (all >> 16U) & 0x8000U;
    const std::uint32_t magnitude = all & 0x7FFFFFFFU;
    std::uint32_t half = 0;
    if (magnitude > 0x7F800000U) {
      half = 0x7E00U;  // not a number
    } else if (magnitude >= 0x477FF000U) {
      half = 0x7C00U;  // infinity, and what rounds to it
    } else if (magnitude >= 0x38800000U) {
      half = detail::rounded_shift(magnitude - 0x38000000U, 13);
    } else if (magnitude >= 0x33000000U) {  // a number without its leading one
      const std::uint32_t exponent = magnitude >> 23U;
      half = detail::rounded_shift((magnitude & 0x7FFFFFU) | 0x800000U, 126U - exponent);
    }
    bits = static_cast<std::uint16_t>(sign | half);
#endif
  }
  GPUCHECK_HOST_DEVICE explicit operator float() const {
#if defined(__CUDA_ARCH__)
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#else
    const std::uint32_t sign = (bits & 0x8000U) << 16U;
    const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
    const std::uint32_t fraction = bits & 0x3FFU;
    if (exponent == 0x1FU) return detail::float_of(sign | 0x7F800000U | (fraction << 13U));
    if (exponent != 0) return detail::float_of(sign | ((exponent + 112U) << 23U) | (fraction << 13U));
    const float value = static_cast<float>(fraction) * 0x1p-24F;
    return sign == 0 ? value : -value;
#endif
  }
};

/// The upper half of a float: 8 bits of exponent, 8 of precision.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  GPUCHECK_HOST_DEVICE explicit BFloat16(float value) {
    const std::uint32_t all = detail::bits_of(value);
    const bool is_number = (all & 0x7FFFFFFFU) <= 0x7F800000U;
    bits = static_cast<std::uint16_t>(is_number ? detail::rounded_shift(all, 16) : 0x7FC0U);
  }
  GPUCHECK_HOST_DEVICE explicit operator float() const {
    return detail::float_of(static_cast<std::uint32_t>(bits) << 16U);
  }
};

}  // namespace gpucheck::device::kernels
