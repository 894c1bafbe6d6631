#pragma once

#include <cstdint>
#include <type_traits>

#include "device/kernels/support/fp8.hpp"
#include "device/kernels/support/half.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/values/element_type.hpp"

namespace gpucheck::device::kernels {

/// A number as an element; whole numbers that the type holds stay what they are.
template <typename T, typename Number>
GPUCHECK_HOST_DEVICE T to_element(Number number) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(number);
  } else {
    return T(static_cast<float>(number));
  }
}

/// An element as a number to compute with.
template <typename Number, typename T>
GPUCHECK_HOST_DEVICE Number to_number(const T& element) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<Number>(element);
  } else {
    return static_cast<Number>(static_cast<float>(element));
  }
}

/// Calls `action` with a null pointer of the type that stands for `type` in memory.
template <typename Action>
auto with_storage(ElementType type, Action action) {
  switch (type) {
    case ElementType::fp64:
      return action(static_cast<double*>(nullptr));
    case ElementType::fp16:
      return action(static_cast<Half*>(nullptr));
    case ElementType::bf16:
      return action(static_cast<BFloat16*>(nullptr));
    case ElementType::fp8_e4m3:
      return action(static_cast<Float8E4M3*>(nullptr));
    case ElementType::fp8_e5m2:
      return action(static_cast<Float8E5M2*>(nullptr));
    case ElementType::int8:
      return action(static_cast<std::int8_t*>(nullptr));
    case ElementType::int32:
      return action(static_cast<std::int32_t*>(nullptr));
    case ElementType::fp32:
      break;
  }
  return action(static_cast<float*>(nullptr));
}

}  // namespace gpucheck::device::kernels
