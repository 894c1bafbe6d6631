#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

/// `a` where the condition is not zero, else `b`.
template <typename Number>
struct Select {
  static constexpr std::string_view name = "where";
  GPUCHECK_HOST_DEVICE Number operator()(Number condition, Number a, Number b) const {
    return condition == Number{} ? b : a;
  }
};

namespace families {
using selection = StridedFamily<Select, 3, float, double, std::int64_t, Complex<float>, Complex<double>>;
}
template <typename Functor>
requires(families::selection::has<Functor>) struct FamilyOf<Functor> : families::selection {
};

}  // namespace gpucheck::device::kernels
