#pragma once

#include <cstdint>

#include "device/libraries/matrix_product.hpp"

namespace gpucheck::sim {

/// The product of a row and a column of `count` elements.
inline device::MatrixProduct dot_product(device::ElementType type, device::ComputeType compute, std::int64_t count) {
  return {.m = 1,
          .n = 1,
          .k = count,
          .transpose_a = true,
          .leading_a = count,
          .leading_b = count,
          .leading_d = 1,
          .a = type,
          .b = type,
          .d = type,
          .compute = compute};
}

}  // namespace gpucheck::sim
