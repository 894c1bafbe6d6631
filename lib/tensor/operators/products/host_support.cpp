#include <algorithm>
#include <vector>

#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/products/support.hpp"

namespace gpucheck::tensor::operators::in_products {
namespace {

namespace kernels = device::kernels;

// A part of b of so many rows and columns is used again and again while it is in the processor's cache.
constexpr std::int64_t part_rows = 128;
constexpr std::int64_t part_columns = 512;

/// Whole numbers wrap around, which only those without signs may do in C++.
template <typename Number>
using Summed = std::conditional_t<std::is_integral_v<Number>, std::uint64_t, Number>;

/// One matrix's elements row by row, as numbers to compute with.
template <typename Number>
std::vector<Summed<Number>> packed(const Matrices& matrices, std::int64_t pair) {
  std::vector<Summed<Number>> numbers(static_cast<std::size_t>(matrices.rows * matrices.columns));
  const auto bytes = static_cast<std::int64_t>(element_bytes(matrices.tensor.dtype()));
  const auto* const first = matrices.tensor.data_as<const std::byte>() + pair * matrices.batch_stride * bytes;
  kernels::with_stored_type(matrices.tensor.dtype(), [&]<typename T>(std::type_identity<T>) {
    Summed<Number>* number = numbers.data();
    for (std::int64_t row = 0; row < matrices.rows; ++row) {
      const std::byte* element = first + row * matrices.row_stride * bytes;
      for (std::int64_t column = 0; column < matrices.columns; ++column, element += matrices.column_stride * bytes) {
        *number++ = static_cast<Summed<Number>>(kernels::convert_element<Number>(*reinterpret_cast<const T*>(element)));
      }
    }
  });
  return numbers;
}

/// sums += a b, each row of the sums by the rows of b, so that the compiler adds many columns at once.
template <typename Sum>
void add_product(std::vector<Sum>& sums, const std::vector<Sum>& a, const std::vector<Sum>& b, std::int64_t rows,
                 std::int64_t depth, std::int64_t columns) {
  for (std::int64_t first = 0; first < depth; first += part_rows) {
    const std::int64_t end = std::min(first + part_rows, depth);
    for (std::int64_t left = 0; left < columns; left += part_columns) {
      const std::int64_t width = std::min(part_columns, columns - left);
      for (std::int64_t row = 0; row < rows; ++row) {
        Sum* const sum = &sums[static_cast<std::size_t>(row * columns + left)];
        for (std::int64_t i = first; i < end; ++i) {
          const Sum factor = a[static_cast<std::size_t>(row * depth + i)];
          const Sum* const other = &b[static_cast<std::size_t>(i * columns + left)];
          for (std::int64_t column = 0; column < width; ++column) sum[column] += factor * other[column];
        }
      }
    }
  }
}

template <typename Number>
void store_sums(const Matrices& result, std::int64_t pair, const std::vector<Summed<Number>>& sums,
                const Factors& factors) {
  using Sum = Summed<Number>;
  const DType dtype = result.tensor.dtype();
  const auto bytes = static_cast<std::int64_t>(element_bytes(dtype));
  const auto alpha = static_cast<Sum>(detail::number_of<Number>(factors.alpha));
  const auto beta = static_cast<Sum>(detail::number_of<Number>(factors.beta));
  const Sum* sum = sums.data();
  for (std::int64_t row = 0; row < result.rows; ++row) {
    for (std::int64_t column = 0; column < result.columns; ++column) {
      std::byte* const element =
          result.tensor.data_as<std::byte>() +
          (pair * result.batch_stride + row * result.row_stride + column * result.column_stride) * bytes;
      Sum value = alpha * *sum++;
      if (beta != Sum{}) value += beta * static_cast<Sum>(kernels::load_as<Number>(element, dtype));
      kernels::store_as(element, dtype, static_cast<Number>(value));
    }
  }
}

}  // namespace

void multiply_on_host(const Matrices& result, const Matrices& a, const Matrices& b, const Factors& factors,
                      std::string_view name) {
  with_number<float, double, std::int64_t>(
      result.tensor.dtype(), name, [&]<typename Number>(std::type_identity<Number>) {
        // All results, before the first is stored: it may lie where the operands do.
        std::vector<std::vector<Summed<Number>>> products;
        for (std::int64_t pair = 0; pair < result.batch; ++pair) {
          auto& sums = products.emplace_back(static_cast<std::size_t>(result.rows * result.columns));
          add_product(sums, packed<Number>(a, pair), packed<Number>(b, pair), result.rows, a.columns, result.columns);
        }
        for (std::int64_t pair = 0; pair < result.batch; ++pair) {
          store_sums<Number>(result, pair, products[static_cast<std::size_t>(pair)], factors);
        }
      });
}

}  // namespace gpucheck::tensor::operators::in_products
