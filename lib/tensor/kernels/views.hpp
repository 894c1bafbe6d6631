#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/values/kernel.hpp"

namespace gpucheck::device::kernels {

/// How the elements of an array lie in memory. Dimensions from the outermost to the
/// innermost; strides in elements. A stride of 0 repeats what is there.
struct Layout {
  static constexpr std::size_t max_rank = 4;

  std::size_t rank = 0;
  std::size_t sizes[max_rank] = {};
  std::size_t strides[max_rank] = {};

  /// Elements of the array.
  [[nodiscard]] constexpr std::size_t count() const {
    std::size_t result = 1;
    for (std::size_t i = 0; i < rank; ++i) result *= sizes[i];
    return result;
  }
  /// Elements of memory from the first to the last one that is used.
  [[nodiscard]] constexpr std::size_t extent() const {
    if (count() == 0) return 0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < rank; ++i) last += (sizes[i] - 1) * strides[i];
    return last + 1;
  }
  /// Where the element is that comes `index`-th when the innermost dimension runs fastest.
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::size_t offset(std::size_t index) const {
    std::size_t result = 0;
    for (std::size_t i = rank; i-- > 0;) {
      result += index % sizes[i] * strides[i];
      index /= sizes[i];
    }
    return result;
  }
};

/// An array in device memory that somebody else owns.
template <typename T>
struct View {
  T* data = nullptr;
  Layout layout;
  [[nodiscard]] View<const T> read_only() const { return {data, layout}; }
  /// Its elements, without the gaps between them.
  [[nodiscard]] MemoryAccess access(AccessMode mode) const {
    std::array<std::int64_t, Layout::max_rank> sizes{};
    std::array<std::int64_t, Layout::max_rank> strides{};
    for (std::size_t i = 0; i < layout.rank; ++i) {
      sizes[i] = static_cast<std::int64_t>(layout.sizes[i]);
      strides[i] = static_cast<std::int64_t>(layout.strides[i]);
    }
    return strided(mode, data, sizeof(T), {sizes.data(), layout.rank}, {strides.data(), layout.rank}, alignof(T));
  }
};

/// out = a + b, all three of one shape.
struct AddViews {
  static constexpr std::string_view name = "add_views";
  View<const float> a;
  View<const float> b;
  View<float> out;
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    return {a.access(AccessMode::read), b.access(AccessMode::read), out.access(AccessMode::write)};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    out.data[out.layout.offset(thread.index)] =
        a.data[a.layout.offset(thread.index)] + b.data[b.layout.offset(thread.index)];
  }
};

/// out[n] = a[n] b[n] for three-dimensional views of matching shapes. Each element is
/// summed up in single precision in the order of the common dimension, every step one
/// fused multiply-add, so that all devices give the same bits.
struct MultiplyMatrices {
  static constexpr std::string_view name = "multiply_matrices";
  View<const float> a;
  View<const float> b;
  View<float> out;
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    return {a.access(AccessMode::read), b.access(AccessMode::read), out.access(AccessMode::write)};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t column = thread.index % out.layout.sizes[2];
    const std::size_t row = thread.index / out.layout.sizes[2] % out.layout.sizes[1];
    const std::size_t batch = thread.index / out.layout.sizes[2] / out.layout.sizes[1];
    const float* left = a.data + batch * a.layout.strides[0] + row * a.layout.strides[1];
    const float* right = b.data + batch * b.layout.strides[0] + column * b.layout.strides[2];
    float sum = 0.0F;
    for (std::size_t i = 0; i < a.layout.sizes[2]; ++i) {
      sum = fmaf(left[i * a.layout.strides[2]], right[i * b.layout.strides[1]], sum);
    }
    out.data[out.layout.offset(thread.index)] = sum;
  }
};

namespace families {
using views = Family<AddViews, MultiplyMatrices>;
}
template <typename Functor>
requires(families::views::has<Functor>) struct FamilyOf<Functor> : families::views {
};

}  // namespace gpucheck::device::kernels
