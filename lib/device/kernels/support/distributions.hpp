#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "device/kernels/support/half.hpp"
#include "device/kernels/support/philox.hpp"
#include "device/kernels/support/thread.hpp"

/// How PyTorch turns the words of a Philox sequence into numbers of a distribution. Sums of a
/// product are fused where its compiler fuses them. What a GPU has an instruction for and a
/// host does not (`fast_log` and its like, sine and cosine) differs between the two in the last
/// bits: lib/tensor/random/README.md says by how much.
namespace gpucheck::device::kernels {

/// What a distribution over T computes in: PyTorch's accumulation type.
template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Digits of precision.
template <typename T>
inline constexpr int digits_of = std::numeric_limits<T>::digits;
template <>
inline constexpr int digits_of<Half> = 11;
template <>
inline constexpr int digits_of<BFloat16> = 8;

/// From 1 to the next number.
template <typename Real>
inline constexpr Real epsilon_of = std::numeric_limits<Real>::epsilon();

template <typename T>
inline constexpr bool is_floating =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// A number as another type, by way of float for the 16-bit ones.
template <typename To, typename From>
GPUCHECK_HOST_DEVICE To convert_to(From value) {
  if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

GPUCHECK_HOST_DEVICE inline float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
GPUCHECK_HOST_DEVICE inline double multiply_add(double a, double b, double c) { return fma(a, b, c); }

GPUCHECK_HOST_DEVICE inline float fast_log(float value) {
#if defined(__CUDA_ARCH__)
  return __logf(value);
#else
  return std::log(value);
#endif
}
GPUCHECK_HOST_DEVICE inline double fast_log(double value) { return log(value); }

GPUCHECK_HOST_DEVICE inline float fast_exp(float value) {
#if defined(__CUDA_ARCH__)
  return __expf(value);
#else
  return std::exp(value);
#endif
}
GPUCHECK_HOST_DEVICE inline double fast_exp(double value) { return exp(value); }

GPUCHECK_HOST_DEVICE inline float fast_tan(float value) {
#if defined(__CUDA_ARCH__)
  return __tanf(value);
#else
  return std::tan(value);
#endif
}
GPUCHECK_HOST_DEVICE inline double fast_tan(double value) { return tan(value); }

/// log(1 + value)
GPUCHECK_HOST_DEVICE inline float fast_log1p(float value) { return fast_log(1.0F + value); }
GPUCHECK_HOST_DEVICE inline double fast_log1p(double value) { return log1p(value); }

/// Values drawn at once, from four words.
template <typename T>
struct Drawn;
template <>
struct Drawn<float> {
  static constexpr std::size_t size = 4;
  float values[size];
};
template <>
struct Drawn<double> {
  static constexpr std::size_t size = 2;
  double values[size];
};
template <>
struct Drawn<std::uint32_t> {
  static constexpr std::size_t size = 4;
  std::uint32_t values[size];
};
template <>
struct Drawn<std::uint64_t> {
  static constexpr std::size_t size = 2;
  std::uint64_t values[size];
};

/// Uniform in (0, 1].
GPUCHECK_HOST_DEVICE inline float uniform_of(std::uint32_t word) {
  return multiply_add(static_cast<float>(word), 0x1p-32F, 0x1p-33F);
}
GPUCHECK_HOST_DEVICE inline double uniform_of(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t mixed = std::uint64_t{low} ^ (std::uint64_t{high} << 21U);
  return multiply_add(static_cast<double>(mixed), 0x1p-53, 0x1p-54);
}

/// The natural logarithm of what `uniform_of` returns, [2^-33, 1]: CUDA's `logf` bit for bit, whose steps these are
/// but for those that only numbers beyond need.
GPUCHECK_HOST_DEVICE inline float log_of_uniform(float value) {
  constexpr std::uint32_t two_thirds = 0x3F2AAAABU;
  constexpr std::uint32_t exponent_bits = 0xFF800000U;
  const std::uint32_t bits = detail::bits_of(value);
  const std::uint32_t exponent = (bits - two_thirds) & exponent_bits;  // of the number over what is left: 2/3 to 4/3
  const float above_one = detail::float_of(bits - exponent) - 1.0F;
  const float powers = static_cast<float>(static_cast<std::int32_t>(exponent)) * 0x1p-23F;
  float sum = multiply_add(-0x1.0aa04ep-3F, above_one, 0x1.2073ecp-3F);
  constexpr float coefficients[]{-0x1.f19b98p-4F, 0x1.1e52aap-3F, -0x1.55b172p-3F, 0x1.99da16p-3F,
                                 -0x1.fffe44p-3F, 0x1.5554fp-2F,  -0x1p-1F};
  for (const float coefficient : coefficients) sum = multiply_add(sum, above_one, coefficient);
  sum = multiply_add(above_one * sum, above_one, above_one);
  return multiply_add(powers, 0x1.62e43p-1F, sum);
}

/// The square root of -0 or a number in [2^-24, 64]: correctly rounded, by the steps of CUDA's `sqrtf` but for those
/// that only numbers beyond need.
GPUCHECK_HOST_DEVICE inline float root_of(float value) {
#if defined(__CUDA_ARCH__)
  float inverse = 0;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(fmaxf(value, 0x1p-60F)));  // -0 has none
  const float root = value * inverse;
  return multiply_add(multiply_add(-root, root, value), inverse * 0.5F, root);
#else
  return std::sqrt(value);
#endif
}

struct TwoFloats {
  float first;
  float second;
};
struct TwoDoubles {
  double first;
  double second;
};

/// How far from 0 the two normal numbers of a word lie: sqrtf(-2 logf(u)).
GPUCHECK_HOST_DEVICE inline float radius_of(std::uint32_t word) {
  return root_of(-2.0F * log_of_uniform(uniform_of(word)));
}

/// Two numbers of the normal distribution, by the method of Box and Muller.
GPUCHECK_HOST_DEVICE inline TwoFloats box_muller(std::uint32_t x, std::uint32_t y) {
  constexpr float turn = 0x1p-32F * 6.2831855F;
  const float angle = multiply_add(static_cast<float>(y), turn, turn / 2);
  const float radius = radius_of(x);
  float sine = 0;
  float cosine = 0;
#if defined(__CUDA_ARCH__)
  __sincosf(angle, &sine, &cosine);
#else
  sine = std::sin(angle);
  cosine = std::cos(angle);
#endif
  return {sine * radius, cosine * radius};
}
GPUCHECK_HOST_DEVICE inline TwoDoubles box_muller(const PhiloxWords& words) {
  const double u = uniform_of(words.word[0], words.word[1]);
  const std::uint64_t mixed = std::uint64_t{words.word[2]} ^ (std::uint64_t{words.word[3]} << 21U);
  const double half_turns = multiply_add(static_cast<double>(mixed), 0x1p-52, 0x1p-53);
  const double radius = sqrt(-2.0 * log(u));
  double sine = 0;
  double cosine = 0;
#if defined(__CUDA_ARCH__)
  sincospi(half_turns, &sine, &cosine);
#else
  constexpr long double pi = 3.141592653589793238462643383279502884L;
  sine = static_cast<double>(std::sin(pi * static_cast<long double>(half_turns)));
  cosine = static_cast<double>(std::cos(pi * static_cast<long double>(half_turns)));
#endif
  return {sine * radius, cosine * radius};
}

/// Words as they are, or two joined.
template <typename Word>
GPUCHECK_HOST_DEVICE Drawn<Word> draw_words(const PhiloxWords& words) {
  if constexpr (std::is_same_v<Word, std::uint32_t>) {
    return {{words.word[0], words.word[1], words.word[2], words.word[3]}};
  } else {
    return {{std::uint64_t{words.word[0]} << 32U | words.word[1], std::uint64_t{words.word[2]} << 32U | words.word[3]}};
  }
}

template <typename Real>
GPUCHECK_HOST_DEVICE Drawn<Real> draw_uniform(const PhiloxWords& words) {
  if constexpr (std::is_same_v<Real, float>) {
    return {
        {uniform_of(words.word[0]), uniform_of(words.word[1]), uniform_of(words.word[2]), uniform_of(words.word[3])}};
  } else {
    return {{uniform_of(words.word[0], words.word[1]), uniform_of(words.word[2], words.word[3])}};
  }
}

template <typename Real>
GPUCHECK_HOST_DEVICE Drawn<Real> draw_normal(const PhiloxWords& words) {
  if constexpr (std::is_same_v<Real, float>) {
    const TwoFloats low = box_muller(words.word[0], words.word[1]);
    const TwoFloats high = box_muller(words.word[2], words.word[3]);
    return {{low.first, low.second, high.first, high.second}};
  } else {
    const TwoDoubles both = box_muller(words);
    return {{both.first, both.second}};
  }
}

}  // namespace gpucheck::device::kernels
