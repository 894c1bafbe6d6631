#pragma once

#include <string_view>

#include "device/kernels/support/draw.hpp"
#include "device/kernels/support/family.hpp"

/// Real numbers, drawn as PyTorch draws them.
namespace gpucheck::device::kernels {

/// [from, to): `range` is `to - from` in T.
template <typename T>
struct Uniform {
  using Value = T;
  using Real = Computed<T>;
  static constexpr std::string_view name = "uniform";
  Real range;
  T from;
  T to;
  GPUCHECK_HOST_DEVICE static Drawn<Real> draw(const PhiloxWords& words) { return draw_uniform<Real>(words); }
  GPUCHECK_HOST_DEVICE T transform(Real uniform) const {
    const T value = convert_to<T>(multiply_add(uniform, range, convert_to<Real>(from)));
    return convert_to<Real>(value) == convert_to<Real>(to) ? from : value;
  }
};

template <typename T>
struct Normal {
  using Value = T;
  using Real = Computed<T>;
  static constexpr std::string_view name = "normal";
  Real mean;
  Real deviation;
  GPUCHECK_HOST_DEVICE static Drawn<Real> draw(const PhiloxWords& words) { return draw_normal<Real>(words); }
  GPUCHECK_HOST_DEVICE T transform(Real normal) const { return convert_to<T>(multiply_add(normal, deviation, mean)); }
};

/// Numbers whose logarithms have the normal distribution.
template <typename T>
struct LogNormal {
  using Value = T;
  using Real = Computed<T>;
  static constexpr std::string_view name = "log_normal";
  Real mean;
  Real deviation;
  GPUCHECK_HOST_DEVICE static Drawn<Real> draw(const PhiloxWords& words) { return draw_normal<Real>(words); }
  GPUCHECK_HOST_DEVICE T transform(Real normal) const {
    return convert_to<T>(fast_exp(multiply_add(normal, deviation, mean)));
  }
};

template <typename T>
struct Exponential {
  using Value = T;
  using Real = Computed<T>;
  static constexpr std::string_view name = "exponential";
  Real rate;
  GPUCHECK_HOST_DEVICE static Drawn<Real> draw(const PhiloxWords& words) { return draw_uniform<Real>(words); }
  GPUCHECK_HOST_DEVICE T transform(Real uniform) const {
    // The logarithm of 1, and a fast one of what is close to it, would give 0.
    constexpr Real least = epsilon_of<Real> / 2;
    const Real log = uniform >= Real{1} - least ? -least : fast_log(uniform);
    return convert_to<T>(Real{-1} / rate * log);
  }
};

template <typename T>
struct Cauchy {
  using Value = T;
  using Real = Computed<T>;
  static constexpr std::string_view name = "cauchy";
  Real median;
  Real scale;
  GPUCHECK_HOST_DEVICE static Drawn<Real> draw(const PhiloxWords& words) { return draw_uniform<Real>(words); }
  GPUCHECK_HOST_DEVICE T transform(Real uniform) const {
    constexpr Real pi = static_cast<Real>(3.14159265358979323846);
    if constexpr (std::is_same_v<Real, float>) {  // the fast tangent is infinite at the ends
      constexpr float epsilon = epsilon_of<float>;
      if (uniform > 1.0F - epsilon) uniform = 1.0F - epsilon;
      if (uniform < epsilon) uniform = epsilon;
    }
    return convert_to<T>(multiply_add(scale, fast_tan(pi * (uniform - Real{0.5})), median));
  }
};

namespace families {
using random =
    Family<Draw<Uniform<float>>, Draw<Uniform<double>>, Draw<Uniform<Half>>, Draw<Uniform<BFloat16>>,
           Draw<Normal<float>>, Draw<Normal<double>>, Draw<Normal<Half>>, Draw<Normal<BFloat16>>,
           Draw<LogNormal<float>>, Draw<LogNormal<double>>, Draw<LogNormal<Half>>, Draw<LogNormal<BFloat16>>,
           Draw<Exponential<float>>, Draw<Exponential<double>>, Draw<Exponential<Half>>, Draw<Exponential<BFloat16>>,
           Draw<Cauchy<float>>, Draw<Cauchy<double>>, Draw<Cauchy<Half>>, Draw<Cauchy<BFloat16>>>;
}
template <typename Functor>
requires(families::random::has<Functor>) struct FamilyOf<Functor> : families::random {
};

}  // namespace gpucheck::device::kernels
