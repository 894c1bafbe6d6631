#pragma once

#include <string>
#include <string_view>

#include "tensor/core/tensor.hpp"

namespace gpucheck::tensor::test {

/// How far results of a GPU may lie from those of the host.
struct Tolerance {
  /// In units of the last place of the result's type.
  double units = 0;
  /// Results nearer to zero than this may be off by as much as this one: what adds numbers that nearly cancel.
  double at_least = 0;
  /// The units of complex results, whose formulas have more steps, which a GPU may fuse.
  double complex_units = 0;
  /// A zero may have another sign: the order of factors gives it.
  bool zero_of_any_sign = false;
  /// The order of additions is another one on a device, also on a simulated one.
  bool depends_on_order = false;
};

/// What the functions of CUDA's library that an operator calls may be off (CUDA C++ Programming Guide, "Mathematical
/// Functions"), and one unit for the host's library. Nothing for operators that only add, multiply, divide and compare.
[[nodiscard]] Tolerance tolerance_of(std::string_view operator_name);

/// Says the first element that is another one, or nothing. A NaN is like any other.
[[nodiscard]] std::string difference_of(const Tensor& found, const Tensor& expected, const Tolerance& tolerance);

}  // namespace gpucheck::tensor::test
