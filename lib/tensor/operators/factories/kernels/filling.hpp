#pragma once

#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

/// One value for all elements.
template <typename Number>
struct FillWith {
  static constexpr std::string_view name = "fill";
  Number value;
  GPUCHECK_HOST_DEVICE Number operator()() const { return value; }
};

namespace families {
using filling = PointwiseFamily<FillWith, 0, float, double, std::int64_t, Complex<float>, Complex<double>>;
}
template <typename Functor>
requires(families::filling::has<Functor>) struct FamilyOf<Functor> : families::filling {
};

}  // namespace gpucheck::device::kernels
