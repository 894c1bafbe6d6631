#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/memory/buffer.hpp"

namespace gpucheck::tensor::ops::detail {

/// Keys and their values, in device memory.
template <typename Key>
struct KeyedValues {
  runtime::Buffer<Key> keys;
  runtime::Buffer<std::int64_t> values;
};

/// Sorts by the lowest `bits` bits of the keys, or by all of a signed number's with `is_signed`;
/// equal ones stay in order. On the current stream. Takes scratch memory. Key: uint32_t,
/// uint64_t. @throws OutOfMemoryError, DeviceError.
template <typename Key>
void sort(runtime::Runtime& runtime, KeyedValues<Key>& pairs, int bits, bool is_signed);

}  // namespace gpucheck::tensor::ops::detail
