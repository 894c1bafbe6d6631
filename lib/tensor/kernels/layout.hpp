#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/values/kernel.hpp"

namespace gpucheck::device::kernels {

/// As a GPU converts (PTX ISA, cvt), where C++ leaves it open: what the integer cannot hold becomes its nearest value,
/// NaN the lowest.
GPUCHECK_HOST_DEVICE constexpr std::int64_t to_int64(float value) {
  constexpr float end = 0x1p63F;
  if (value >= end) return INT64_MAX;
  if (!(value >= -end)) return INT64_MIN;
  return static_cast<std::int64_t>(value);
}

/// out[i] = in[i], towards zero.
template <typename From, typename To>
struct Convert {
  static constexpr std::string_view name = "convert";
  const From* in;
  To* out;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t count) const {
    return {reads(in, count * sizeof(From)), writes(out, count * sizeof(To))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const { out[thread.index] = to_int64(in[thread.index]); }
};

/// Lays a matrix with any strides out row by row: out[r * columns + c] =
/// in[r * row_stride + c * column_stride], one invocation for each element.
template <typename T>
struct CopyStrided {
  static constexpr std::string_view name = "copy_strided";
  const T* in;
  std::size_t columns;
  std::size_t row_stride;
  std::size_t column_stride;
  T* out;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t count) const {
    const std::array sizes{static_cast<std::int64_t>(count / columns), static_cast<std::int64_t>(columns)};
    const std::array strides{static_cast<std::int64_t>(row_stride), static_cast<std::int64_t>(column_stride)};
    return {reads_strided(in, sizes, strides), writes(out, count * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t row = thread.index / columns;
    out[thread.index] = in[row * row_stride + (thread.index - row * columns) * column_stride];
  }
};

namespace families {
using layout = Family<Convert<float, std::int64_t>, CopyStrided<std::int64_t>>;
}
template <typename Functor>
requires(families::layout::has<Functor>) struct FamilyOf<Functor> : families::layout {
};

}  // namespace gpucheck::device::kernels
