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

struct TwoFloats {
  float first;
  float second;
};
struct TwoDoubles {
  double first;
  double second;
};

/// Two numbers of the normal distribution, by the method of Box and Muller.
GPUCHECK_HOST_DEVICE inline TwoFloats box_muller(std::uint32_t x, std::uint32_t y) {
  constexpr float turn = 0x1p-32F * 6.2831855F;
  const float u = uniform_of(x);
  const float angle = multiply_add(static_cast<float>(y), turn, turn / 2);
  const float radius = sqrtf(-2.0F * logf(u));
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
