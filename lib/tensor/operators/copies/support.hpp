#pragma once

#include "tensor/core/tensor.hpp"

namespace gpucheck::tensor::operators::in_copies {

/// The tensor's elements as those of a type with as many bytes, which kernels move bit by bit: whole numbers, or
/// complex128 for 16 bytes.
[[nodiscard]] Tensor as_bits(const Tensor& tensor);

}  // namespace gpucheck::tensor::operators::in_copies
