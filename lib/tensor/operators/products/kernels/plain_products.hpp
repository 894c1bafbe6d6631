#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "tensor/core/elements.hpp"
#include "tensor/iterator/strided_plan.hpp"

namespace gpucheck::device::kernels {

/// Matrices of one type, and how to get from an element to the next in bytes.
struct StridedMatrices {
  void* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t batch_stride;
  std::int64_t row_stride;
  std::int64_t column_stride;

  [[nodiscard]] GPUCHECK_HOST_DEVICE std::byte* at(std::int64_t batch, std::int64_t row, std::int64_t column) const {
    return static_cast<std::byte*>(data) + batch * batch_stride + row * row_stride + column * column_stride;
  }
};

/// d = alpha a b + beta d, one element by each invocation: for devices whose vendor's library is missing.
template <typename Number>
struct PlainProduct {
  static constexpr std::string_view name = "matrix_product";
  StridedMatrices a;
  StridedMatrices b;
  StridedMatrices d;
  std::int64_t batch;
  DType dtype;
  Number alpha;
  Number beta;

  [[nodiscard]] std::size_t invocations() const { return static_cast<std::size_t>(batch * d.rows * d.columns); }
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    return {access_to(a, AccessMode::read), access_to(b, AccessMode::read),
            access_to(d, beta == 0 ? AccessMode::write : AccessMode::read_write)};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const auto index = static_cast<std::int64_t>(thread.index);
    const std::int64_t column = index % d.columns;
    const std::int64_t row = index / d.columns % d.rows;
    const std::int64_t pair = index / d.columns / d.rows;
    Number sum = 0;
    for (std::int64_t i = 0; i < a.columns; ++i) {
      sum += load_as<Number>(a.at(pair, row, i), dtype) * load_as<Number>(b.at(pair, i, column), dtype);
    }
    void* const result = d.at(pair, row, column);
    const Number product = alpha * sum;
    store_as(result, dtype, beta == 0 ? product : product + beta * load_as<Number>(result, dtype));
  }

 private:
  [[nodiscard]] MemoryAccess access_to(const StridedMatrices& matrices, AccessMode mode) const {
    const std::int64_t sizes[]{matrices.columns, matrices.rows, batch};
    const std::int64_t strides[]{matrices.column_stride, matrices.row_stride, matrices.batch_stride};
    return access_of(
        mode, matrices.data, element_bytes(dtype), 3, [&](std::size_t i) { return sizes[i]; },
        [&](std::size_t i) { return strides[i]; });
  }
};

namespace families {
using plain_products = Family<PlainProduct<float>, PlainProduct<double>>;
}
template <typename Functor>
requires(families::plain_products::has<Functor>) struct FamilyOf<Functor> : families::plain_products {
};

}  // namespace gpucheck::device::kernels
