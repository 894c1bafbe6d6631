#pragma once

#include "tensor/core/scalar.hpp"
#include "tensor/core/tensor.hpp"

namespace gpucheck::tensor {

/// The one element of a tensor on the host. @throws Error with PyTorch's text for another number of elements.
[[nodiscard]] Scalar host_item(const Tensor& tensor);

}  // namespace gpucheck::tensor
