#pragma once

#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

/// a + b
template <typename Number>
struct Add {
  static constexpr std::string_view name = "add";
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b) const { return a + b; }
};

/// a + alpha b
template <typename Number>
struct AddScaled {
  static constexpr std::string_view name = "add_scaled";
  Number alpha;
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b) const { return a + alpha * b; }
};

namespace families {
using arithmetic = Joined<PointwiseFamily<Add, 2, float, double, std::int64_t, Complex<float>, Complex<double>>,
                          PointwiseFamily<AddScaled, 2, float, double, std::int64_t, Complex<float>, Complex<double>>>;
}
template <typename Functor>
requires(families::arithmetic::has<Functor>) struct FamilyOf<Functor> : families::arithmetic {
};

}  // namespace gpucheck::device::kernels
