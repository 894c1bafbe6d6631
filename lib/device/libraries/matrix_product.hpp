#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "device/values/element_type.hpp"
#include "device/values/status.hpp"

/// What a product of two matrices is, as values. Matrices lie column by column, as BLAS has
/// them: element (row, column) at `row + column * leading dimension`.
namespace gpucheck::device {

/// What products are added up in. `tf32`: fp32 sums of operands that are rounded to 10 bits
/// behind the leading one.
enum class ComputeType : std::uint8_t { fp64, fp32, tf32, int32 };
std::string_view to_text(ComputeType type) noexcept;

/// D = scale * op(A) * op(B) + beta * D, where op transposes or does not. op(A) has m rows and k
/// columns, op(B) k and n, D m and n. Of a batch, all products have these sizes.
struct MatrixProduct {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  /// Elements from one column to the next, as the matrices are stored.
  std::int64_t leading_a = 0;
  std::int64_t leading_b = 0;
  std::int64_t leading_d = 0;
  ElementType a = ElementType::fp32;
  ElementType b = ElementType::fp32;
  ElementType d = ElementType::fp32;
  ComputeType compute = ComputeType::fp32;
  double scale = 1;
  /// For fp8: sums may stay in the tensor cores' own accumulators, which are narrower than fp32
  /// (`CUBLASLT_MATMUL_DESC_FAST_ACCUM`). Faster; of no meaning for other types.
  bool fast_accumulation = false;
  /// With 0, D is not read.
  double beta = 0;
  /// Parts of a sum that are added up side by side meet in the type that is computed in. Else they may meet in D's,
  /// which is faster (`CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK`).
  bool wide_partial_sums = false;
  /// How many products there are, and elements from one's first to the next one's. A and B may be the same for all.
  std::int64_t batch = 1;
  std::int64_t batch_stride_a = 0;
  std::int64_t batch_stride_b = 0;
  std::int64_t batch_stride_d = 0;

  bool operator==(const MatrixProduct&) const = default;
};

/// Bytes from a matrix's first element to the end of its last; of a batch, to that of the last matrix.
std::size_t bytes_of_a(const MatrixProduct& product) noexcept;
std::size_t bytes_of_b(const MatrixProduct& product) noexcept;
std::size_t bytes_of_d(const MatrixProduct& product) noexcept;

/// Which types can be multiplied, and in which layouts, is the same on every device:
/// - fp64 and fp32 with themselves (fp32 also in tf32), fp16 and bf16 with fp32 sums, into D of
///   the operands' type;
/// - fp8 with fp32 sums into bf16, e4m3 with e4m3 or one of the operands e5m2; int8 into int32.
///   A transposed and B not, all sizes and leading dimensions multiples of 16, neither beta nor
///   batch, a scale of 1 for int8 (cuBLAS 13 documentation, "cublasLtMatmul()", its tables and what FP8 kernels and
///   IMMA kernels require).
/// invalid_value for sizes that no matrix has and for results of a batch that overlap, not_supported for what is not in
/// this list.
Status check_product(const MatrixProduct& product) noexcept;

/// How a library goes about a product: chosen for one product and one device, opaque to others.
struct ProductAlgorithm {
  std::array<std::uint64_t, 8> data = {};
  std::uint64_t workspace_bytes = 0;  ///< that it needs
  std::string description = {};       ///< in the library's own numbers: "algorithm 66, tile 23, ..."
};

/// Where the matrices are: device memory, each at a multiple of `product_alignment`.
struct ProductOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* d = nullptr;
  /// For fp8 operands, one float each that all elements are multiplied by; null stands for 1.
  const float* scale_a = nullptr;
  const float* scale_b = nullptr;
  void* workspace = nullptr;
  std::uint64_t workspace_bytes = 0;
};

/// What cuBLASLt's heuristics take for granted (`CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES`).
inline constexpr std::size_t product_alignment = 256;

/// invalid_value where an operand is missing or lies where it must not, or the workspace is
/// smaller than the algorithm needs.
Status check_operands(const ProductAlgorithm& algorithm, const ProductOperands& operands) noexcept;

}  // namespace gpucheck::device
