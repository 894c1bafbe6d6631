#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "tensor/core/elements.hpp"

namespace gpucheck::device::kernels {

/// The means of windows of planes without gaps, one invocation for each.
struct AveragePool2d {
  static constexpr std::string_view name = "avg_pool2d";
  const void* in;
  void* out;
  DType dtype;  ///< of both; computed in float, or double for that type
  std::int64_t planes;
  std::int64_t in_height;
  std::int64_t in_width;
  std::int64_t out_height;
  std::int64_t out_width;
  std::int64_t kernel[2];
  std::int64_t stride[2];
  std::int64_t padding[2];
  bool count_padding;
  std::int64_t divisor;  ///< 0: the elements of the window

  [[nodiscard]] std::size_t invocations() const { return static_cast<std::size_t>(planes * out_height * out_width); }
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    const std::size_t size = element_bytes(dtype);
    return {MemoryAccess{in, static_cast<std::size_t>(planes * in_height * in_width) * size, AccessMode::read, size},
            MemoryAccess{out, invocations() * size, AccessMode::write, size}};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const { average(static_cast<std::int64_t>(thread.index)); }
  void run_whole_on_host() const {
    for (std::size_t i = 0; i < invocations(); ++i) average(static_cast<std::int64_t>(i));
  }

 private:
  GPUCHECK_HOST_DEVICE void average(std::int64_t index) const {
    if (dtype == DType::float64) {
      average_in<double>(index);
    } else {
      average_in<float>(index);
    }
  }
  template <typename Number>
  GPUCHECK_HOST_DEVICE void average_in(std::int64_t index) const {
    const std::int64_t column = index % out_width;
    const std::int64_t row = index / out_width % out_height;
    const std::int64_t plane = index / out_width / out_height;
    const std::int64_t top = row * stride[0] - padding[0];
    const std::int64_t left = column * stride[1] - padding[1];
    // The window reaches into the padding, not beyond it.
    const std::int64_t padded_bottom = least(top + kernel[0], in_height + padding[0]);
    const std::int64_t padded_right = least(left + kernel[1], in_width + padding[1]);
    const std::int64_t first_row = top < 0 ? 0 : top;
    const std::int64_t first_column = left < 0 ? 0 : left;
    const std::int64_t bottom = least(padded_bottom, in_height);
    const std::int64_t right = least(padded_right, in_width);
    std::int64_t count =
        count_padding ? (padded_bottom - top) * (padded_right - left) : (bottom - first_row) * (right - first_column);
    if (divisor != 0) count = divisor;
    with_stored_type(dtype, [&]<typename T>(std::type_identity<T>) {
      const T* const elements = static_cast<const T*>(in) + plane * in_height * in_width;
      Number sum = 0;
      for (std::int64_t i = first_row; i < bottom; ++i) {
        for (std::int64_t k = first_column; k < right; ++k) sum += convert_element<Number>(elements[i * in_width + k]);
      }
      static_cast<T*>(out)[index] = convert_element<T>(sum / static_cast<Number>(count));
    });
  }
  static GPUCHECK_HOST_DEVICE std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
};

namespace families {
using pooling = Family<AveragePool2d>;
}
template <typename Functor>
requires(families::pooling::has<Functor>) struct FamilyOf<Functor> : families::pooling {
};

}  // namespace gpucheck::device::kernels
