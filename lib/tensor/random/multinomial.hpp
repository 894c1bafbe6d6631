#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/random/distributions.hpp"

namespace gpucheck::tensor::ops {

/// Weights of categories, row by row, in device memory. A row's need not add up to 1.
template <typename T>
struct Weights {
  const T* data = nullptr;
  std::size_t rows = 0;
  std::size_t categories = 0;
};

/// Draws `samples` category numbers for each row of weights: PyTorch's `multinomial`. `out` has
/// room for rows times samples. A weight that is negative, infinite or not a number, and a row
/// that adds up to nothing, is a device-side assert. On the current stream. Takes scratch
/// memory. T: float, double. @throws Error where there is nothing to draw from, with PyTorch's
/// text, and as Generator::take does; OutOfMemoryError, DeviceError.
template <typename T>
void multinomial(Generator& generator, const Weights<T>& weights, std::int64_t* out, std::size_t samples,
                 bool replacement);

}  // namespace gpucheck::tensor::ops
