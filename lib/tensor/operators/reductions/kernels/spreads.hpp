#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "tensor/iterator/magnitudes.hpp"
#include "tensor/iterator/reduction_kernels.hpp"

namespace gpucheck::device::kernels {

/// How far numbers are from their mean: the sum of squares is kept about the mean of what is there, so that it does not
/// cancel out (Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances",
/// 1979).
template <typename Number>
struct Spread {
  static constexpr std::string_view name = "var";
  using Real = Part<Number>;
  struct Accumulated {
    Number mean{};
    Real squares = 0;
    std::int64_t count = 0;
  };
  Real correction;  ///< what is taken from the count to divide by
  bool is_deviation;

  GPUCHECK_HOST_DEVICE Accumulated identity() const { return {}; }
  GPUCHECK_HOST_DEVICE Accumulated take(Number element, std::int64_t) const { return {element, 0, 1}; }
  GPUCHECK_HOST_DEVICE Accumulated combine(const Accumulated& a, const Accumulated& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const std::int64_t count = a.count + b.count;
    const Real share = static_cast<Real>(b.count) / static_cast<Real>(count);
    const Number apart = b.mean - a.mean;
    return {a.mean + scaled(apart, share),
            a.squares + b.squares + squared_magnitude(apart) * static_cast<Real>(a.count) * share, count};
  }
  GPUCHECK_HOST_DEVICE Real finish(const Accumulated& all) const {
    const Real freedom = static_cast<Real>(all.count) - correction;
    const Real variance = all.squares / (freedom > 0 ? freedom : 0);
    return is_deviation ? std::sqrt(variance) : variance;
  }
};

namespace families {
using spreads = AnyReductionFamily<Spread, float, double, Complex<float>, Complex<double>>;
}
template <typename Functor>
requires(families::spreads::has<Functor>) struct FamilyOf<Functor> : families::spreads {
};

}  // namespace gpucheck::device::kernels
