#pragma once

#include <optional>
#include <string_view>

#include "tensor/iterator/destination.hpp"

/// What reductions share.
namespace gpucheck::tensor::operators::in_reductions {

/// The type of a sum or a product: the one that was asked for, else the result's that is there, else int64 of whole
/// numbers and booleans.
[[nodiscard]] DType accumulated_dtype(const Destination& destination, const Tensor& self, std::optional<DType> dtype);

/// The type of a number's parts: its own where it is real.
[[nodiscard]] DType real_of(DType dtype) noexcept;

/// The elements as they are taken for a result of that type: converted, unless they are so while they are loaded.
[[nodiscard]] Tensor converted(const Tensor& self, DType dtype);

/// @throws Error with PyTorch's text for a result that is there and has another type.
void require_dtype_of_out(const Destination& destination, DType dtype);

/// @throws IndexError with PyTorch's text where the dimension has no element to choose from.
void require_elements(const Tensor& self, std::int64_t dimension, std::string_view name);
/// @throws Error likewise for a reduction of a tensor as a whole.
void require_elements(const Tensor& self, std::string_view name);

}  // namespace gpucheck::tensor::operators::in_reductions
