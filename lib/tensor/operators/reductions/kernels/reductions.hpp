#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/iterator/reduction_kernels.hpp"

namespace gpucheck::device::kernels {

/// The sum of all elements, divided once, at the end: a sum has 1 there, a mean the count.
template <typename Number>
struct Sum {
  static constexpr std::string_view name = "sum";
  using Accumulated = Number;
  Number divisor;
  GPUCHECK_HOST_DEVICE Number identity() const { return Number{}; }
  GPUCHECK_HOST_DEVICE Number take(Number element, std::int64_t) const { return element; }
  GPUCHECK_HOST_DEVICE Number combine(Number a, Number b) const { return a + b; }
  GPUCHECK_HOST_DEVICE Number finish(Number all) const {
    if constexpr (is_complex_number<Number>) {
      return {all.real / divisor.real, all.imaginary / divisor.real};
    } else {
      return all / divisor;
    }
  }
};

namespace families {
using reductions = ReductionFamily<Sum, float, double, std::int64_t, Complex<float>, Complex<double>>;
}
template <typename Functor>
requires(families::reductions::has<Functor>) struct FamilyOf<Functor> : families::reductions {
};

}  // namespace gpucheck::device::kernels
