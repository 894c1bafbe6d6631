#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/values/kernel.hpp"

namespace gpucheck::device::kernels {

/// Two floats as a complex number has them.
struct ComplexFloat {
  float real;
  float imaginary;
};

GPUCHECK_HOST_DEVICE inline bool is_nonzero(const ComplexFloat& value) {
  return value.real != 0.0F || value.imaginary != 0.0F;
}
template <typename T>
GPUCHECK_HOST_DEVICE bool is_nonzero(const T& value) {
  return value != T{};
}

/// Asserts that *input is not zero. Launch with a count of 1.
template <typename T>
struct RequireNonzero {
  static constexpr std::string_view name = "assert_async";
  const T* input;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const { return {reads(input, sizeof(T))}; }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    GPUCHECK_DEVICE_ASSERT(thread, is_nonzero(*input));
  }
};

/// Row i of `out` is row indices[i] of `in`, negative counting from the end. One
/// invocation for each element of `out`.
template <typename T>
struct IndexRows {
  static constexpr std::string_view name = "index";
  const T* in;
  std::int64_t rows;
  std::size_t row_elements;
  const std::int64_t* indices;
  T* out;
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t count) const {
    return {reads(in, static_cast<std::size_t>(rows) * row_elements * sizeof(T)),
            reads(indices, count / row_elements * sizeof(*indices)), writes(out, count * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::int64_t index = indices[thread.index / row_elements];
    if (!GPUCHECK_DEVICE_ASSERT(thread, -rows <= index && index < rows && "index out of bounds")) return;
    const std::size_t row = static_cast<std::size_t>(index < 0 ? index + rows : index);
    out[thread.index] = in[row * row_elements + thread.index % row_elements];
  }
};

namespace families {
using checks = Family<RequireNonzero<std::int64_t>, RequireNonzero<float>, RequireNonzero<bool>,
                      RequireNonzero<ComplexFloat>, IndexRows<std::int32_t>, IndexRows<std::int64_t>, IndexRows<float>>;
}
template <typename Functor>
requires(families::checks::has<Functor>) struct FamilyOf<Functor> : families::checks {
};

}  // namespace gpucheck::device::kernels
