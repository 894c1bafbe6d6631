#pragma once

#include "runtime/memory/buffer.hpp"
#include "runtime/runtime.hpp"
#include "tensor/ops.hpp"
#include "tensor/view.hpp"

/// Work on views of device memory. Every call only submits work to `stream` and returns;
/// no operand is ever copied to bring it into shape. Results are without gaps and taken
/// from the runtime's allocator. @throws ShapeError before anything is allocated or
/// submitted; OutOfMemoryError for a result; DeviceError.
namespace gpucheck::tensor::ops {

/// out = a + b, with a and b broadcast to the shape of `out`, which may be one of them.
void add(Runtime& runtime, View<const float> a, View<const float> b, View<float> out, device::Stream stream);
/// a + b, of the shape that both have in common.
[[nodiscard]] Buffer<float> add(Runtime& runtime, View<const float> a, View<const float> b, device::Stream stream);

/// Products of the matrices of two three-dimensional views of equally many matrices.
[[nodiscard]] Buffer<float> bmm(Runtime& runtime, View<const float> a, View<const float> b, device::Stream stream);
/// The same, where one matrix on either side also serves for many on the other.
[[nodiscard]] Buffer<float> matmul(Runtime& runtime, View<const float> a, View<const float> b, device::Stream stream);

}  // namespace gpucheck::tensor::ops
