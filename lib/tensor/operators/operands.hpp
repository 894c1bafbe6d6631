#pragma once

#include <string_view>

#include "tensor/core/scalar.hpp"
#include "tensor/core/tensor.hpp"

/// Operands of another type than that in which is computed. Kernels load elements as numbers that may hold more than
/// the type does: half ones as float, short whole ones as int64. Sums and products come out the same once they are
/// stored; comparisons and quotients need operands that the type can hold.
namespace gpucheck::tensor {

/// The tensor; or, where its elements may not be numbers of the type, a copy that has it.
[[nodiscard]] Tensor as_computed(const Tensor& tensor, DType dtype);
/// The nearest number of a floating type; others are the loop's affair.
[[nodiscard]] Scalar as_computed(const Scalar& number, DType dtype);

/// The type in which PyTorch computes with both.
[[nodiscard]] DType common_dtype(const Tensor& a, const Tensor& b, bool has_other_result = false);
[[nodiscard]] DType common_dtype(const Tensor& a, const Scalar& b, bool has_other_result = false);
[[nodiscard]] DType common_dtype(const Scalar& a, const Tensor& b);

/// C++'s name of a type, which some of PyTorch's errors have: "float", "c10::Half", "long int".
[[nodiscard]] std::string_view to_cpp_text(DType dtype) noexcept;

}  // namespace gpucheck::tensor
