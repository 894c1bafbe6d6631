#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "device/kernels/support/fp8.hpp"
#include "device/kernels/support/half.hpp"
#include "device/values/element_type.hpp"

/// Matrices of every type, as they lie in memory.
namespace gpucheck::device::contract {

inline std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

template <typename T>
T element(int value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<float>(value));
  }
}

template <typename T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& elements) {
  std::vector<std::uint8_t> bytes(elements.size() * sizeof(T));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

/// A matrix as it is stored: op(X)'s element (row, column) is `value(row, column)`; what lies
/// between its columns is 99.
template <typename T, typename Value>
std::vector<std::uint8_t> stored_as(std::int64_t rows, std::int64_t columns, std::int64_t leading, bool transposed,
                                    Value value) {
  const std::int64_t stored_columns = transposed ? rows : columns;
  std::vector<T> elements(index(stored_columns * leading), element<T>(99));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t place = transposed ? row * leading + column : column * leading + row;
      elements[index(place)] = element<T>(value(row, column));
    }
  }
  return bytes_of(elements);
}

template <typename Value>
std::vector<std::uint8_t> stored(ElementType type, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                                 bool transposed, Value value) {
  switch (type) {
    case ElementType::fp64:
      return stored_as<double>(rows, columns, leading, transposed, value);
    case ElementType::fp32:
      return stored_as<float>(rows, columns, leading, transposed, value);
    case ElementType::fp16:
      return stored_as<kernels::Half>(rows, columns, leading, transposed, value);
    case ElementType::bf16:
      return stored_as<kernels::BFloat16>(rows, columns, leading, transposed, value);
    case ElementType::fp8_e4m3:
      return stored_as<kernels::Float8E4M3>(rows, columns, leading, transposed, value);
    case ElementType::fp8_e5m2:
      return stored_as<kernels::Float8E5M2>(rows, columns, leading, transposed, value);
    case ElementType::int8:
      return stored_as<std::int8_t>(rows, columns, leading, transposed, value);
    case ElementType::int32:
      return stored_as<std::int32_t>(rows, columns, leading, transposed, value);
  }
  return {};
}

}  // namespace gpucheck::device::contract
