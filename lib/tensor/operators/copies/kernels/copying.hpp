#pragma once

#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

/// The element itself, as another type.
template <typename Number>
struct CopyElement {
  static constexpr std::string_view name = "copy";
  GPUCHECK_HOST_DEVICE Number operator()(Number a) const { return a; }
};

namespace families {
using copying = PointwiseFamily<CopyElement, 1, float, double, std::int64_t, Complex<float>, Complex<double>>;
}
template <typename Functor>
requires(families::copying::has<Functor>) struct FamilyOf<Functor> : families::copying {
};

}  // namespace gpucheck::device::kernels
