#pragma once

#include <cstddef>

#include "runtime/buffer.hpp"
#include "runtime/ops.hpp"

namespace gpucheck::runtime::ops {

/// New memory from the caching allocator, filled with numbers in [0, 1): those that
/// PyTorch's `rand` of `count` floats draws on this device from the same state, which
/// must stand at a multiple of 4. @throws OutOfMemoryError, DeviceError.
[[nodiscard]] Buffer<float> rand(Runtime& runtime, std::size_t count, PhiloxState random, device::Stream stream);

}  // namespace gpucheck::runtime::ops
