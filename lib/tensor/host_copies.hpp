#pragma once

#include <cstddef>

#include "runtime/memory/pinned_buffer.hpp"
#include "runtime/memory/transfer.hpp"
#include "tensor/ops.hpp"
#include "tensor/view.hpp"

/// Copies between host and device, or within the host, that do more than move bytes.
namespace gpucheck::tensor::ops {

/// out[i] = in[i] as another type, from host memory to device memory: PyTorch's converting
/// `copy_`. The values travel as they are and are converted on the device, all of it in the
/// order of `stream`. Takes scratch memory. From float to int64_t. @throws OutOfMemoryError,
/// DeviceError.
template <typename From, typename To>
void copy_converted(Runtime& runtime, To* out, runtime::HostMemory<const From> in, std::size_t count,
                    runtime::Transfer transfer, device::Stream stream);

/// An array in pinned host memory of its own.
template <typename T>
struct PinnedArray {
  runtime::PinnedBuffer<T> memory;
  Layout layout;
  /// The element that comes `index`-th when the innermost dimension runs fastest.
  [[nodiscard]] T at(std::size_t index) const { return memory.data()[layout.offset(index)]; }
};

/// A copy of an array in host memory in new pinned memory: PyTorch's `pin_memory()`. Its
/// elements lie as those of `source` do; gaps between them are not copied. T: int64_t.
/// @throws DeviceError, Error.
template <typename T>
[[nodiscard]] PinnedArray<T> pin_memory(Runtime& runtime, View<const T> source);

}  // namespace gpucheck::tensor::ops
