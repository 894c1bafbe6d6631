#pragma once

#include "tensor/core/tensor.hpp"
#include "tensor/schema/schema.hpp"

namespace gpucheck::tensor {

/// Where an operator's result goes: to a new tensor, or to one that is there.
struct Destination {
  Form form = Form::functional;
  Tensor tensor;  ///< undefined for a new one
};

}  // namespace gpucheck::tensor
