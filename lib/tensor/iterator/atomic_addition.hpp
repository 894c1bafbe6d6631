#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tensor/core/elements.hpp"

namespace gpucheck::device::kernels {

namespace detail {

#if defined(__CUDA_ARCH__)

/// Numbers that a GPU does not add in memory: the 32 bits around one are exchanged until nobody came between.
template <typename T>
__device__ void exchange_sum(T* target, T amount) {
  const auto address = reinterpret_cast<std::uintptr_t>(target);
  auto* const word = reinterpret_cast<unsigned*>(address & ~std::uintptr_t{3});
  const unsigned shift = static_cast<unsigned>(address & 3U) * 8;
  const unsigned mask = (sizeof(T) == 4 ? 0xFFFFFFFFU : (1U << (sizeof(T) * 8)) - 1) << shift;
  unsigned before = *word;
  for (;;) {
    const auto bits =
        static_cast<std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>>((before & mask) >> shift);
    T number;
    memcpy(&number, &bits, sizeof(T));
    number = convert_element<T>(convert_element<ComputedIn<T>>(number) + convert_element<ComputedIn<T>>(amount));
    auto sum = bits;
    memcpy(&sum, &number, sizeof(T));
    const unsigned found = atomicCAS(word, before, (before & ~mask) | (static_cast<unsigned>(sum) << shift));
    if (found == before) return;
    before = found;
  }
}

#endif

}  // namespace detail

/// Adds to an element that other invocations add to at the same time, in no order: sums of fractions may differ in
/// their last bits. A boolean becomes true where either is.
template <typename T>
GPUCHECK_HOST_DEVICE void add_in_memory(T* target, T amount) {
  if constexpr (std::is_same_v<T, bool>) {
    if (amount) *target = true;
  } else if constexpr (is_complex_number<T>) {
    add_in_memory(&target->real, amount.real);
    add_in_memory(&target->imaginary, amount.imaginary);
  } else {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, std::int64_t>) {
      atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(amount));
    } else if constexpr (std::is_same_v<T, std::int32_t> || std::is_floating_point_v<T>) {
      atomicAdd(target, amount);
    } else {
      detail::exchange_sum(target, amount);
    }
#else
    if constexpr (std::is_integral_v<T>) {
      // Whole numbers wrap around.
      *target = static_cast<T>(static_cast<std::uint64_t>(*target) + static_cast<std::uint64_t>(amount));
    } else {
      *target = convert_element<T>(convert_element<ComputedIn<T>>(*target) + convert_element<ComputedIn<T>>(amount));
    }
#endif
  }
}

}  // namespace gpucheck::device::kernels
