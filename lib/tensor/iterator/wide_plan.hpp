#pragma once

#include <cstddef>
#include <cstdint>

#include "base/dtype.hpp"
#include "tensor/iterator/strided_plan.hpp"

namespace gpucheck::device::kernels {

/// Places in memory of some dimensions: sizes and strides in bytes, from the dimension that runs fastest.
template <std::size_t operands>
struct WidePlan {
  std::uint32_t rank = 0;
  std::int64_t sizes[max_loop_rank];
  std::int64_t strides[max_loop_rank][operands];

  /// Where the operands are for the index-th turn.
  GPUCHECK_HOST_DEVICE void offsets(std::int64_t index, std::int64_t (&found)[operands]) const {
    for (std::size_t k = 0; k < operands; ++k) found[k] = 0;
    for (std::uint32_t i = 0; i < rank; ++i) {
      const std::int64_t quotient = i + 1 == rank ? 0 : quotient_of(index, sizes[i]);
      const std::int64_t place = index - quotient * sizes[i];
      for (std::size_t k = 0; k < operands; ++k) found[k] += place * strides[i][k];
      index = quotient;
    }
  }
  /// What a loop over these places does to an operand's memory.
  [[nodiscard]] MemoryAccess access(AccessMode mode, const void* data, DType dtype, std::size_t operand) const {
    return access_of(
        mode, data, element_bytes(dtype), rank, [this](std::size_t i) { return sizes[i]; },
        [this, operand](std::size_t i) { return strides[i][operand]; });
  }
  /// The same where each place is a row of elements.
  /// @param stride between a row's neighbours, in bytes.
  [[nodiscard]] MemoryAccess access_with(AccessMode mode, const void* data, DType dtype, std::size_t operand,
                                         std::int64_t length, std::int64_t stride) const {
    return access_of(
        mode, data, element_bytes(dtype), rank + 1,
        [this, length](std::size_t i) { return i == 0 ? length : sizes[i - 1]; },
        [this, operand, stride](std::size_t i) { return i == 0 ? stride : strides[i - 1][operand]; });
  }

 private:
  /// 64-bit divisions take a GPU many times as long as 32-bit ones, which do nearly always.
  static GPUCHECK_HOST_DEVICE std::int64_t quotient_of(std::int64_t number, std::int64_t by) {
    if (((number | by) >> 32) == 0) return static_cast<std::uint32_t>(number) / static_cast<std::uint32_t>(by);
    return number / by;
  }
};

}  // namespace gpucheck::device::kernels
