#pragma once

#include <cmath>
#include <cstdint>

#include "device/kernels/support/distributions.hpp"

/// Numbers of the Poisson distribution, by cuRAND's three methods: each for means of a range.
namespace gpucheck::device::kernels {

/// The words of one sequence, one after another.
class PhiloxSequence {
 public:
  GPUCHECK_HOST_DEVICE PhiloxSequence(std::uint64_t key, std::uint64_t sequence, std::uint64_t position)
      : key_(key), sequence_(sequence), position_(position), words_(philox(key, sequence, position)) {}

  GPUCHECK_HOST_DEVICE std::uint32_t next() {
    if (used_ == 4) {
      words_ = philox(key_, sequence_, ++position_);
      used_ = 0;
    }
    return words_.word[used_++];
  }

 private:
  std::uint64_t key_;
  std::uint64_t sequence_;
  std::uint64_t position_;
  PhiloxWords words_;
  unsigned used_ = 0;
};

namespace detail {

/// The approximations that a GPU has instructions for.
GPUCHECK_HOST_DEVICE inline float approximate_rsqrt(float value) {
#if defined(__CUDA_ARCH__)
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(value));
  return value;
#else
  return 1.0F / std::sqrt(value);
#endif
}
GPUCHECK_HOST_DEVICE inline float approximate_reciprocal(float value) {
#if defined(__CUDA_ARCH__)
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(value));
  return value;
#else
  return 1.0F / value;
#endif
}
GPUCHECK_HOST_DEVICE inline float approximate_exp(float value) {
#if defined(__CUDA_ARCH__)
  value = static_cast<float>(static_cast<double>(value) * 1.4426950408889634074);
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(value));
  return value;
#else
  return std::exp(value);
#endif
}
GPUCHECK_HOST_DEVICE inline float approximate_log(float value) {
#if defined(__CUDA_ARCH__)
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(value));
  return static_cast<float>(static_cast<double>(value) * 0.69314718055994530942);
#else
  return std::log(value);
#endif
}

/// What approximates the regularised incomplete gamma function of a mean as a logistic curve.
struct GammaCurve {
  float slope;
  float shift;
  GPUCHECK_HOST_DEVICE explicit GammaCurve(float mean)
      : slope(multiply_add(1.43248035075540910F, approximate_rsqrt(mean - 0.12400979329415655F), 0.00025361074907033F)),
        shift(
            multiply_add(0.21096734870196546F, approximate_rsqrt(mean - 1.97381164089999420F), 0.94201734077887530F)) {}
};

GPUCHECK_HOST_DEVICE inline float gamma_of(float mean, float x) {
  const GammaCurve curve(mean);
  const float t = 1.0F + approximate_exp(multiply_add(curve.slope, mean - x, -curve.shift));
  return approximate_reciprocal(t * t);
}
GPUCHECK_HOST_DEVICE inline float inverse_gamma_of(float mean, float y) {
  const GammaCurve curve(mean);
  const float t = curve.shift + approximate_log(approximate_rsqrt(y) - 1.0F);
  return multiply_add(-t, approximate_reciprocal(curve.slope), mean);
}

/// log((n - 1)!), for means far above 8: by Stirling's series.
GPUCHECK_HOST_DEVICE inline double log_gamma(int n) {
  if (n <= 8) return lgamma(static_cast<double>(n));
  const double number = n;
  const double inverse = 1.0 / number;
  const double square = inverse * inverse;
  double sum = -0.1633436431e-2;
  sum = sum * square + 0.83645878922e-3;
  sum = sum * square - 0.5951896861197e-3;
  sum = sum * square + 0.793650576493454e-3;
  sum = sum * square - 0.277777777735865004e-2;
  sum = sum * square + 0.833333333333331018375e-1;
  sum = sum * inverse + 0.918938533204672;
  const double product = 0.5 * log(number) * (number - 0.5);
  const double large = product - number;
  const double small = product + sum;
  return large + small;
}

/// Products of uniform numbers until they fall below exp(-mean): for small means.
GPUCHECK_HOST_DEVICE inline std::uint32_t poisson_by_products(PhiloxSequence& sequence, float mean) {
  std::uint32_t factors = 0;
  float product = expf(mean);
  do {
    ++factors;
    product *= uniform_of(sequence.next());
  } while (product > 1.0F);
  return factors - 1;
}

/// Rejection under a logistic curve: for means between.
GPUCHECK_HOST_DEVICE inline std::uint32_t poisson_by_rejection(PhiloxSequence& sequence, float mean) {
  const float log_mean = approximate_log(mean);
  while (true) {
    const float x = floorf(inverse_gamma_of(mean, uniform_of(sequence.next())));
    const float uniform = uniform_of(sequence.next());
    const float bound = (gamma_of(mean, x + 1.0F) - gamma_of(mean, x)) * 1.3F;
    const float log_probability =
        multiply_add(x, log_mean, -mean) - static_cast<float>(log_gamma(static_cast<int>(1.0F + x)));
    if (uniform * bound < approximate_exp(log_probability) && static_cast<double>(bound) >= 1e-20) {
      return static_cast<std::uint32_t>(x);
    }
  }
}

}  // namespace detail

GPUCHECK_HOST_DEVICE inline std::uint32_t poisson_of(std::uint64_t key, std::uint64_t sequence, std::uint64_t position,
                                                     double mean) {
  constexpr double few = 64;
  constexpr double many = 4000;
  if (mean > many) {  // nearly normal
    const double normal = box_muller(philox(key, sequence, position)).first;
    return static_cast<std::uint32_t>(multiply_add(sqrt(mean), normal, mean) + 0.5);
  }
  PhiloxSequence words(key, sequence, position);
  return mean < few ? detail::poisson_by_products(words, static_cast<float>(mean))
                    : detail::poisson_by_rejection(words, static_cast<float>(mean));
}

}  // namespace gpucheck::device::kernels
