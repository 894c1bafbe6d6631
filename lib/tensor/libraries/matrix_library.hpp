#pragma once

#include "device/libraries/matrix_product.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::tensor {

/// Multiplies matrices on the current stream by the vendor's library, in the workspace of stream and thread; how the
/// library goes about a product is asked once and kept. The operands' workspace is not looked at.
/// @returns whether it did: not where there is no library, or where it does not do this product. Thread-safe.
/// @throws DeviceError, OutOfMemoryError.
[[nodiscard]] bool multiply_by_library(runtime::Runtime& runtime, const device::MatrixProduct& product,
                                       device::ProductOperands operands);

}  // namespace gpucheck::tensor
