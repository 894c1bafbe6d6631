#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

enum class ActivationFunction : std::uint8_t { tanh, sigmoid, silu, gelu, gelu_by_tanh };

/// A smooth activation, the same for all elements.
template <typename Number>
struct Activation {
  static constexpr std::string_view name = "activation";
  ActivationFunction function;

  GPUCHECK_HOST_DEVICE Number operator()(Number a) const {
    constexpr auto half = static_cast<Number>(0.5);
    constexpr auto root_of_half = static_cast<Number>(0.70710678118654752440);
    constexpr auto root_of_two_over_pi = static_cast<Number>(0.79788456080286535588);
    constexpr auto cubic = static_cast<Number>(0.044715);
    switch (function) {
      case ActivationFunction::tanh:
        return std::tanh(a);
      case ActivationFunction::sigmoid:
        return 1 / (1 + std::exp(-a));
      case ActivationFunction::silu:
        return a / (1 + std::exp(-a));
      case ActivationFunction::gelu:
        return a * half * (1 + std::erf(a * root_of_half));
      default:
        return half * a * (1 + std::tanh(root_of_two_over_pi * (a + cubic * a * a * a)));
    }
  }
};

enum class RectifierFunction : std::uint8_t { threshold, leaky_relu, softplus };

/// An activation with two parameters that bends at one place: threshold's place and value, leaky_relu's slope,
/// softplus' beta and the place where it is straight.
template <typename Number>
struct Rectifier {
  static constexpr std::string_view name = "rectifier";
  RectifierFunction function;
  Number first;
  Number second;

  GPUCHECK_HOST_DEVICE Number operator()(Number a) const {
    if constexpr (!std::is_integral_v<Number>) {
      if (function == RectifierFunction::leaky_relu) return a > 0 ? a : a * first;
      if (function == RectifierFunction::softplus) {
        return a * first > second ? a : std::log1p(std::exp(a * first)) / first;
      }
    }
    return a <= first ? second : a;
  }
};

/// a where it is above zero, else a slope of its own.
template <typename Number>
struct Prelu {
  static constexpr std::string_view name = "prelu";
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number slope) const { return a > 0 ? a : slope * a; }
};

namespace families {
using activations =
    Joined<PointwiseFamily<Activation, 1, float, double>, StridedFamily<Rectifier, 1, float, double, std::int64_t>,
           StridedFamily<Prelu, 2, float, double>>;
}
template <typename Functor>
requires(families::activations::has<Functor>) struct FamilyOf<Functor> : families::activations {
};

}  // namespace gpucheck::device::kernels
