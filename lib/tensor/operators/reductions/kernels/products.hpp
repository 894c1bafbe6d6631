#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "tensor/iterator/reduction_kernels.hpp"

namespace gpucheck::device::kernels {

/// The product of all elements.
template <typename Number>
struct Product {
  static constexpr std::string_view name = "prod";
  using Accumulated = Number;
  GPUCHECK_HOST_DEVICE Number identity() const { return Number{1}; }
  GPUCHECK_HOST_DEVICE Number take(Number element, std::int64_t) const { return element; }
  GPUCHECK_HOST_DEVICE Number combine(Number a, Number b) const {
    if constexpr (std::is_same_v<Number, std::int64_t>) {
      // Whole numbers wrap around.
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else {
      return a * b;
    }
  }
  GPUCHECK_HOST_DEVICE Number finish(Number all) const { return all; }
};

namespace families {
using products = AnyReductionFamily<Product, float, double, std::int64_t, Complex<float>, Complex<double>>;
}
template <typename Functor>
requires(families::products::has<Functor>) struct FamilyOf<Functor> : families::products {
};

}  // namespace gpucheck::device::kernels
