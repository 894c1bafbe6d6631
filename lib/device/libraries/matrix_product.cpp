#include "device/libraries/matrix_product.hpp"

#include <algorithm>

namespace gpucheck::device {
namespace {

using Type = ElementType;

struct Combination {
  Type a;
  Type b;
  Type d;
  ComputeType compute;
};

constexpr std::array combinations{
    Combination{Type::fp64, Type::fp64, Type::fp64, ComputeType::fp64},
    Combination{Type::fp32, Type::fp32, Type::fp32, ComputeType::fp32},
    Combination{Type::fp32, Type::fp32, Type::fp32, ComputeType::tf32},
    Combination{Type::fp16, Type::fp16, Type::fp16, ComputeType::fp32},
    Combination{Type::bf16, Type::bf16, Type::bf16, ComputeType::fp32},
    Combination{Type::fp8_e4m3, Type::fp8_e4m3, Type::bf16, ComputeType::fp32},
    Combination{Type::fp8_e4m3, Type::fp8_e5m2, Type::bf16, ComputeType::fp32},
    Combination{Type::fp8_e5m2, Type::fp8_e4m3, Type::bf16, ComputeType::fp32},
    Combination{Type::int8, Type::int8, Type::int32, ComputeType::int32},
};

struct Shape {
  std::int64_t rows;
  std::int64_t columns;
};

/// As the matrices are stored.
Shape stored_a(const MatrixProduct& product) noexcept {
  return product.transpose_a ? Shape{product.k, product.m} : Shape{product.m, product.k};
}
Shape stored_b(const MatrixProduct& product) noexcept {
  return product.transpose_b ? Shape{product.n, product.k} : Shape{product.k, product.n};
}

/// In elements, of one matrix.
std::int64_t extent(Shape stored, std::int64_t leading) noexcept {
  return stored.rows <= 0 || stored.columns <= 0 ? 0 : (stored.columns - 1) * leading + stored.rows;
}

std::size_t bytes_of(std::int64_t one, std::int64_t batch, std::int64_t stride, Type type) noexcept {
  if (one == 0 || batch <= 0) return 0;
  return static_cast<std::size_t>((batch - 1) * stride + one) * element_bytes(type);
}

bool is_known(const MatrixProduct& product) noexcept {
  return std::ranges::any_of(combinations, [&](const Combination& row) {
    return row.a == product.a && row.b == product.b && row.d == product.d && row.compute == product.compute;
  });
}

/// What the tensor cores want of elements of one byte.
bool suits_one_byte(const MatrixProduct& product) noexcept {
  constexpr std::int64_t step = 16;
  const std::array sizes{product.m, product.n, product.k, product.leading_a, product.leading_b, product.leading_d};
  return product.transpose_a && !product.transpose_b &&
         std::ranges::all_of(sizes, [](std::int64_t size) { return size % step == 0; }) && product.beta == 0 &&
         product.batch == 1 && (product.a != Type::int8 || product.scale == 1);
}

/// Products write matrices of their own, whatever they read.
bool is_batch(const MatrixProduct& product) noexcept {
  if (product.batch == 1) return true;
  return product.batch > 1 && product.batch_stride_a >= 0 && product.batch_stride_b >= 0 &&
         product.batch_stride_d >= extent({product.m, product.n}, product.leading_d);
}

bool is_aligned(const void* pointer, std::size_t alignment) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
}

}  // namespace

std::string_view to_text(ComputeType type) noexcept {
  constexpr std::array<std::string_view, 4> names{"fp64", "fp32", "tf32", "int32"};
  const auto index = static_cast<std::size_t>(type);
  return index < names.size() ? names[index] : "(no type)";
}

std::size_t bytes_of_a(const MatrixProduct& product) noexcept {
  return bytes_of(extent(stored_a(product), product.leading_a), product.batch, product.batch_stride_a, product.a);
}
std::size_t bytes_of_b(const MatrixProduct& product) noexcept {
  return bytes_of(extent(stored_b(product), product.leading_b), product.batch, product.batch_stride_b, product.b);
}
std::size_t bytes_of_d(const MatrixProduct& product) noexcept {
  const std::int64_t one = extent({product.m, product.n}, product.leading_d);
  return bytes_of(one, product.batch, product.batch_stride_d, product.d);
}

Status check_product(const MatrixProduct& product) noexcept {
  if (product.m <= 0 || product.n <= 0 || product.k <= 0) return Status::invalid_value;
  const bool columns_overlap = product.leading_a < stored_a(product).rows ||
                               product.leading_b < stored_b(product).rows || product.leading_d < product.m;
  if (columns_overlap || !is_batch(product)) return Status::invalid_value;
  if (!is_known(product)) return Status::not_supported;
  if (element_bytes(product.a) == 1 && !suits_one_byte(product)) return Status::not_supported;
  return Status::success;
}

Status check_operands(const ProductAlgorithm& algorithm, const ProductOperands& operands) noexcept {
  const std::array<const void*, 4> matrices{operands.a, operands.b, operands.d, operands.workspace};
  const bool misplaced =
      !std::ranges::all_of(matrices, [](const void* pointer) { return is_aligned(pointer, product_alignment); });
  const bool missing = operands.a == nullptr || operands.b == nullptr || operands.d == nullptr;
  const std::uint64_t workspace_bytes = operands.workspace == nullptr ? 0 : operands.workspace_bytes;
  const bool small = workspace_bytes < algorithm.workspace_bytes;
  return misplaced || missing || small ? Status::invalid_value : Status::success;
}

}  // namespace gpucheck::device
