#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "device/kernels/support/thread.hpp"
#include "device/values/memory_access.hpp"

namespace gpucheck::device::kernels {

/// Divides numbers below 2^31 by a number from 1 to 2^31 - 1, by a multiplication (Granlund and Montgomery, "Division
/// by invariant integers using multiplication", 1994, figure 4.1).
struct Divider {
  std::uint32_t divisor = 1;
  std::uint32_t factor = 1;
  std::uint32_t shift = 0;

  Divider() = default;
  constexpr explicit Divider(std::uint32_t by) : divisor(by) {
    while ((std::uint64_t{1} << shift) < divisor) ++shift;
    factor = static_cast<std::uint32_t>((((std::uint64_t{1} << shift) - divisor) << 32U) / divisor + 1);
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::uint32_t divide(std::uint32_t number) const {
    const auto high = static_cast<std::uint32_t>((std::uint64_t{number} * factor) >> 32U);
    return (high + number) >> shift;
  }
};

/// The most dimensions that are left of a loop: as many as a tensor has.
inline constexpr std::size_t max_loop_rank = 12;

/// How a loop over all elements goes through the memory of its operands: sizes and strides from the dimension that runs
/// fastest, strides in bytes. At most 2^31 - 1 elements, and offsets below 2^31.
template <std::size_t operands>
struct StridedPlan {
  std::uint32_t rank = 0;
  Divider sizes[max_loop_rank];
  std::uint32_t strides[max_loop_rank][operands];

  /// Where the operands' elements are for the index-th turn.
  GPUCHECK_HOST_DEVICE void offsets(std::uint32_t index, std::uint32_t (&found)[operands]) const {
    for (std::size_t k = 0; k < operands; ++k) found[k] = 0;
    for (std::uint32_t i = 0; i < rank; ++i) {
      const std::uint32_t quotient = sizes[i].divide(index);
      const std::uint32_t place = index - quotient * sizes[i].divisor;
      for (std::size_t k = 0; k < operands; ++k) found[k] += place * strides[i][k];
      index = quotient;
    }
  }
};

/// What a loop does to an operand's memory.
/// @param size_of and @param stride_of say a dimension's size and the operand's stride in bytes, from the dimension
/// that runs fastest.
template <typename SizeOf, typename StrideOf>
[[nodiscard]] MemoryAccess access_of(AccessMode mode, const void* data, std::size_t element_bytes, std::size_t rank,
                                     SizeOf size_of, StrideOf stride_of) {
  std::array<std::int64_t, max_loop_rank> sizes{};
  std::array<std::int64_t, max_loop_rank> strides{};
  for (std::size_t i = 0; i < rank; ++i) {
    sizes[rank - 1 - i] = static_cast<std::int64_t>(size_of(i));
    strides[rank - 1 - i] = static_cast<std::int64_t>(stride_of(i)) / static_cast<std::int64_t>(element_bytes);
  }
  return strided(mode, data, element_bytes, std::span(sizes).first(rank), std::span(strides).first(rank),
                 element_bytes);
}

}  // namespace gpucheck::device::kernels
