#pragma once

#include <cstddef>
#include <span>

#include "runtime/runtime.hpp"

namespace gpucheck::runtime {

/// Memory is of a kind that cannot be used so. The text says what to do instead.
class MemoryKindError : public Error {
 public:
  using Error::Error;
};

/// @throws MemoryKindError, with PyTorch's text, for memory of the device; DeviceError.
void require_host_memory(Runtime& runtime, const void* data);

/// Memory for the host to read in place, pinned or pageable: PyTorch's `tensor.numpy()`.
/// Nothing is ever copied. @throws as require_host_memory.
template <typename T>
[[nodiscard]] std::span<const T> host_view(Runtime& runtime, const T* data, std::size_t count) {
  require_host_memory(runtime, data);
  return {data, count};
}

}  // namespace gpucheck::runtime
