#pragma once

#include <initializer_list>
#include <limits>
#include <string>

#include "tensor/core/scalar.hpp"
#include "tensor/core/tensor.hpp"

/// Tensors with elements that a test writes down, and elements as a text that it reads.
namespace gpucheck::tensor::test {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
using Complex = Scalar::Complex;

/// A vector of these numbers, on the host.
[[nodiscard]] Tensor vector_of(std::initializer_list<Scalar> numbers, DType dtype = DType::float32);

/// "float32 [1, -0, nan, inf]", "bool [true]", "complex64 [1+2j]": the type and the elements, the last dimension
/// fastest, each number with as many digits as tell it from its neighbours.
[[nodiscard]] std::string text_of(const Tensor& tensor);

}  // namespace gpucheck::tensor::test
