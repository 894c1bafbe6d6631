#include "device/sim/reference/reference_product.hpp"

#include <type_traits>
#include <vector>

#include "device/kernels/support/storage.hpp"

namespace gpucheck::sim {
namespace {

using device::ComputeType;
using device::ElementType;
using device::MatrixProduct;
using device::ProductAlgorithm;
using device::ProductOperands;
namespace kernels = device::kernels;

enum class Order : std::uint64_t { first_to_last, two_halves };

Order order_of(const ProductAlgorithm& algorithm) noexcept { return static_cast<Order>(algorithm.data[0]); }
bool is_from_the_end(const ProductAlgorithm& algorithm) noexcept { return algorithm.data[1] != 0; }

/// How op(A)'s rows, or op(B)'s columns, lie: `lines` of them, `depth` elements each.
struct Lines {
  std::size_t lines = 0;
  std::size_t depth = 0;
  std::size_t leading = 0;
  bool side_by_side = false;  ///< the elements of a line
};

Lines lines_of_a(const MatrixProduct& product) {
  return {static_cast<std::size_t>(product.m), static_cast<std::size_t>(product.k),
          static_cast<std::size_t>(product.leading_a), product.transpose_a};
}
Lines lines_of_b(const MatrixProduct& product) {
  return {static_cast<std::size_t>(product.n), static_cast<std::size_t>(product.k),
          static_cast<std::size_t>(product.leading_b), !product.transpose_b};
}

/// As the tensor cores take fp32 operands in tf32: 10 bits behind the leading one.
float rounded_to_tf32(float value) {
  constexpr unsigned dropped_bits = 13;
  return kernels::detail::float_of(kernels::detail::rounded_shift(kernels::detail::bits_of(value), dropped_bits)
                                   << dropped_bits);
}

float without_low_bits(float sum) {
  constexpr std::uint32_t dropped = (1U << (24U - fp8_sum_bits)) - 1U;
  return kernels::detail::float_of(kernels::detail::bits_of(sum) & ~dropped);
}

/// Line after line, each with its elements side by side, as numbers to compute with.
template <typename Number>
std::vector<Number> widened(const void* data, ElementType type, const Lines& lines, ComputeType compute) {
  std::vector<Number> numbers(lines.lines * lines.depth);
  kernels::with_storage(type, [&]<typename Stored>(const Stored*) {
    const auto* stored = static_cast<const Stored*>(data);
    for (std::size_t line = 0; line < lines.lines; ++line) {
      for (std::size_t at = 0; at < lines.depth; ++at) {
        const std::size_t place = lines.side_by_side ? line * lines.leading + at : at * lines.leading + line;
        auto number = kernels::to_number<Number>(stored[place]);
        if constexpr (std::is_same_v<Number, float>) {
          if (compute == ComputeType::tf32) number = rounded_to_tf32(number);
        }
        numbers[line * lines.depth + at] = number;
      }
    }
  });
  return numbers;
}

template <typename Number, bool narrow>
Number sum_of_products(const Number* left, const Number* right, std::size_t count, bool from_the_end) {
  Number sum{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = from_the_end ? count - 1 - i : i;
    sum += left[at] * right[at];
    if constexpr (narrow) sum = without_low_bits(sum);
  }
  return sum;
}

template <typename Number>
Number scale_of(const MatrixProduct& product, const ProductOperands& operands) {
  auto scale = static_cast<Number>(product.scale);
  if (operands.scale_a != nullptr) scale *= static_cast<Number>(*operands.scale_a);
  if (operands.scale_b != nullptr) scale *= static_cast<Number>(*operands.scale_b);
  return scale;
}

/// D's element becomes `value` and `beta` times what it was.
template <typename Number>
void store(void* d, ElementType type, std::size_t place, Number value, Number beta) {
  kernels::with_storage(type, [&]<typename Stored>(const Stored*) {
    Stored& element = static_cast<Stored*>(d)[place];
    if (beta != Number{}) value += beta * kernels::to_number<Number>(element);
    element = kernels::to_element<Stored>(value);
  });
}

template <typename Number, bool narrow = false>
void multiply_as(const MatrixProduct& product, const ProductAlgorithm& algorithm, const ProductOperands& operands) {
  const auto left = widened<Number>(operands.a, product.a, lines_of_a(product), product.compute);
  const auto right = widened<Number>(operands.b, product.b, lines_of_b(product), product.compute);
  const auto rows = static_cast<std::size_t>(product.m);
  const auto columns = static_cast<std::size_t>(product.n);
  const auto depth = static_cast<std::size_t>(product.k);
  const auto scale = scale_of<Number>(product, operands);
  const std::size_t half = order_of(algorithm) == Order::two_halves ? depth / 2 : 0;
  const bool from_the_end = is_from_the_end(algorithm);
  auto* const halves = static_cast<Number*>(operands.workspace);
  const auto sum = [&](std::size_t row, std::size_t column, std::size_t first, std::size_t end) {
    return sum_of_products<Number, narrow>(&left[row * depth + first], &right[column * depth + first], end - first,
                                           from_the_end);
  };
  for (std::size_t i = 0; half != 0 && i < rows * columns; ++i) halves[i] = sum(i % rows, i / rows, 0, half);
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t row = 0; row < rows; ++row) {
      Number total = sum(row, column, half, depth);
      if (half != 0) total += halves[column * rows + row];
      store(operands.d, product.d, column * static_cast<std::size_t>(product.leading_d) + row, scale * total,
            static_cast<Number>(product.beta));
    }
  }
}

void multiply_one(const MatrixProduct& product, const ProductAlgorithm& algorithm, const ProductOperands& operands) {
  const bool is_fp8 = product.a == ElementType::fp8_e4m3 || product.a == ElementType::fp8_e5m2;
  if (product.compute == ComputeType::fp64) return multiply_as<double>(product, algorithm, operands);
  if (product.compute == ComputeType::int32) return multiply_as<std::int32_t>(product, algorithm, operands);
  if (is_fp8) return multiply_as<float, true>(product, algorithm, operands);
  multiply_as<float>(product, algorithm, operands);
}

}  // namespace

ProductAlgorithm choose_reference_algorithm(const MatrixProduct& product, std::uint64_t workspace_limit_bytes) {
  const auto elements = static_cast<std::uint64_t>(product.m) * static_cast<std::uint64_t>(product.n);
  const std::uint64_t needed = elements * (product.compute == ComputeType::fp64 ? sizeof(double) : sizeof(float));
  const bool fits = needed <= workspace_limit_bytes && product.k > 1;
  const Order order = fits ? Order::two_halves : Order::first_to_last;
  return {.data = {static_cast<std::uint64_t>(order)},
          .workspace_bytes = fits ? needed : 0,
          .description = fits ? "sums in two halves" : "sums from the first product to the last"};
}

ProductAlgorithm from_the_end(ProductAlgorithm algorithm) {
  algorithm.data[1] = 1;
  return algorithm;
}

void multiply_on_host(const MatrixProduct& product, const ProductAlgorithm& algorithm,
                      const ProductOperands& operands) {
  const auto bytes = [](std::int64_t index, std::int64_t stride, ElementType type) {
    return static_cast<std::size_t>(index * stride) * device::element_bytes(type);
  };
  for (std::int64_t i = 0; i < product.batch; ++i) {
    ProductOperands one = operands;
    one.a = static_cast<const std::byte*>(operands.a) + bytes(i, product.batch_stride_a, product.a);
    one.b = static_cast<const std::byte*>(operands.b) + bytes(i, product.batch_stride_b, product.b);
    one.d = static_cast<std::byte*>(operands.d) + bytes(i, product.batch_stride_d, product.d);
    multiply_one(product, algorithm, one);
  }
}

}  // namespace gpucheck::sim
