#pragma once

#include <vector>

#include "tensor/operators/indexing/support.hpp"

namespace gpucheck::tensor::operators::in_indexing {

/// The elements of a tensor that a list of indices means, one for each dimension from the first: undefined ones mean
/// all of theirs. The plan lacks what is moved there or from there, `dense`.
/// @throws IndexError with PyTorch's texts.
[[nodiscard]] IndexedPlan places_of(const Tensor& self, const std::vector<Tensor>& indices);

/// The tensor's strides as it is repeated for a shape. @throws nothing: the shape must be one it can be repeated for.
[[nodiscard]] Sizes repeated_strides(const Tensor& tensor, const Sizes& shape);

}  // namespace gpucheck::tensor::operators::in_indexing
