#pragma once

#include "tensor/core/tensor.hpp"

namespace gpucheck::tensor {

/// Bytes of a contiguous tensor to another one of the same size and type in the same memory: on a device in the order
/// of the current stream.
void copy_bytes(const Tensor& to, const Tensor& from);

/// The same between the host and a device, or two devices, in the order of the current streams. The caller waits for
/// what goes to or comes from the host, unless `non_blocking` and the host's memory is pinned, which then stays in use
/// until the stream is done with it. @throws DeviceError.
void transfer(const Tensor& to, const Tensor& from, bool non_blocking);

}  // namespace gpucheck::tensor
