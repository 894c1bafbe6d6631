#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/iterator/reduction_kernels.hpp"

namespace gpucheck::device::kernels {

/// Whether any element, or every one, is not 0. NaN is not 0.
template <typename Number>
struct Truth {
  static constexpr std::string_view name = "truth";
  using Accumulated = bool;
  bool of_every;  ///< else of any
  GPUCHECK_HOST_DEVICE bool identity() const { return of_every; }
  GPUCHECK_HOST_DEVICE bool take(Number element, std::int64_t) const { return element; }
  GPUCHECK_HOST_DEVICE bool combine(bool a, bool b) const { return of_every ? a && b : a || b; }
  GPUCHECK_HOST_DEVICE bool finish(bool all) const { return all; }
};

namespace families {
using truths = AnyReductionFamily<Truth, bool>;
}
template <typename Functor>
requires(families::truths::has<Functor>) struct FamilyOf<Functor> : families::truths {
};

}  // namespace gpucheck::device::kernels
