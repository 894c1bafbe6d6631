#pragma once

#include "tensor/core/tensor.hpp"

namespace gpucheck::tensor::files {

/// All of a storage as a tensor of bytes: what is copied between devices.
[[nodiscard]] inline Tensor as_bytes(const Storage& storage) {
  const auto count = static_cast<std::int64_t>(storage.bytes());
  return {storage, DType::uint8, {.sizes = {count}, .strides = {1}, .offset = 0}};
}

}  // namespace gpucheck::tensor::files
