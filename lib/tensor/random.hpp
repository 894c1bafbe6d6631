#pragma once

#include <cstddef>

#include "runtime/allocator/buffer.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::tensor::ops {

/// New memory from the caching allocator, filled with numbers in [0, 1): those that
/// PyTorch's `rand` of `count` floats draws on this device from the same state, which
/// must stand at a multiple of 4. @throws OutOfMemoryError, DeviceError.
[[nodiscard]] Buffer<float> rand(Runtime& runtime, std::size_t count, PhiloxState random, device::Stream stream);

}  // namespace gpucheck::tensor::ops
