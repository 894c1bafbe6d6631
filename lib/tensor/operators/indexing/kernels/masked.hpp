#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

/// One value where the mask is not 0, elsewhere what is there: all of them bits of some type.
template <typename Bits>
struct FillMasked {
  static constexpr std::string_view name = "masked_fill";
  Bits value;
  GPUCHECK_HOST_DEVICE Bits operator()(Bits there, Bits mask) const { return mask == Bits{} ? there : value; }
};

namespace families {
using masked = Family<StridedPointwise<FillMasked<std::int64_t>, std::int64_t, 2>,
                      StridedPointwise<FillMasked<Complex<double>>, Complex<double>, 2>>;
}
template <typename Functor>
requires(families::masked::has<Functor>) struct FamilyOf<Functor> : families::masked {
};

}  // namespace gpucheck::device::kernels
