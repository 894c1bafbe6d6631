#pragma once

#include "tensor/core/tensor.hpp"

namespace gpucheck::tensor {

/// @throws Error with PyTorch's text where two elements of what is written may lie at one place.
void require_no_internal_overlap(const Tensor& written);
/// @throws Error with PyTorch's text where what is written shares memory with what is read, other than element by
/// element.
void require_no_partial_overlap(const Tensor& written, const Tensor& read);

}  // namespace gpucheck::tensor
