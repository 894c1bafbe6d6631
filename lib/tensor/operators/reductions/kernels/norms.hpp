#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "tensor/iterator/magnitudes.hpp"
#include "tensor/iterator/reduction_kernels.hpp"

namespace gpucheck::device::kernels {

/// Which elements' absolute values make a norm, and how.
enum class NormKind : std::uint8_t {
  count,     ///< how many are not 0
  sum,       ///< their sum
  euclid,    ///< the root of the sum of their squares
  largest,   ///< the largest
  smallest,  ///< the smallest
  power,     ///< the p-th root of the sum of their p-th powers
};

/// One code for all kernels: a power takes hundreds of instructions.
template <typename Real>
GPUCHECK_HOST_DEVICE GPUCHECK_SHARED_CODE Real raised(Real base, Real power) {
  return std::pow(base, power);
}

template <typename Number>
struct Norm {
  static constexpr std::string_view name = "norm";
  using Real = Part<Number>;
  using Accumulated = Real;
  NormKind kind;
  Real power;

  GPUCHECK_HOST_DEVICE Real identity() const { return kind == NormKind::smallest ? infinity : Real{0}; }
  GPUCHECK_HOST_DEVICE Real take(Number element, std::int64_t) const {
    switch (kind) {
      case NormKind::count:
        return convert_element<bool>(element) ? Real{1} : Real{0};
      case NormKind::euclid:
        return squared_magnitude(element);
      case NormKind::power:
        return raised(magnitude(element), power);
      default:
        return magnitude(element);
    }
  }
  GPUCHECK_HOST_DEVICE Real combine(Real a, Real b) const {
    if (kind != NormKind::largest && kind != NormKind::smallest) return a + b;
    if (a != a) return a;
    return b != b || (kind == NormKind::smallest ? b < a : b > a) ? b : a;
  }
  GPUCHECK_HOST_DEVICE Real finish(Real all) const {
    if (kind == NormKind::euclid) return std::sqrt(all);
    return kind == NormKind::power ? raised(all, Real{1} / power) : all;
  }

 private:
  static constexpr Real infinity = std::numeric_limits<Real>::infinity();
};

namespace families {
using norms = ReductionFamily<Norm, float, double, Complex<float>, Complex<double>>;
}
template <typename Functor>
requires(families::norms::has<Functor>) struct FamilyOf<Functor> : families::norms {
};

}  // namespace gpucheck::device::kernels
