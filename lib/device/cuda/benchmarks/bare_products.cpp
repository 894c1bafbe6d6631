#include "device/cuda/benchmarks/bare_products.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "device/cuda/convert.hpp"
#include "device/cuda/math/cublaslt.hpp"

namespace gpucheck::cuda::benchmarks {
namespace {

using device::ComputeType;
using device::ElementType;

void require(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw Error(fmt::format("cuBLASLt returned {}", static_cast<int>(status)));
}

cudaDataType_t data_type(ElementType type) {
  switch (type) {
    case ElementType::fp64:
      return CUDA_R_64F;
    case ElementType::fp32:
      return CUDA_R_32F;
    case ElementType::fp16:
      return CUDA_R_16F;
    case ElementType::bf16:
      return CUDA_R_16BF;
    case ElementType::fp8_e4m3:
      return CUDA_R_8F_E4M3;
    case ElementType::fp8_e5m2:
      return CUDA_R_8F_E5M2;
    case ElementType::int8:
      return CUDA_R_8I;
    default:
      return CUDA_R_32I;
  }
}

}  // namespace

/// Nothing is freed: a benchmark makes one for each type.
struct BareProduct::State {
  const CublasLt& library = cublaslt().functions;
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr;
  cublasLtMatrixLayout_t b = nullptr;
  cublasLtMatrixLayout_t d = nullptr;
  cublasLtMatmulHeuristicResult_t chosen{};
  // alpha and beta, in the type that is computed in
  double fp64[2] = {1, 0};
  float fp32[2] = {1, 0};
  std::int32_t int32[2] = {1, 0};
  const void* factors[2] = {&fp32[0], &fp32[1]};
};

BareProduct::BareProduct(const device::MatrixProduct& product, std::uint64_t workspace_limit_bytes) {
  if (!cublaslt().problem.empty()) throw Error(cublaslt().problem);
  state_ = std::make_unique<State>();
  State& s = *state_;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType_t scale = CUDA_R_32F;
  if (product.compute == ComputeType::tf32) compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  if (product.compute == ComputeType::fp64) {
    compute = CUBLAS_COMPUTE_64F;
    scale = CUDA_R_64F;
    s.factors[0] = &s.fp64[0];
    s.factors[1] = &s.fp64[1];
  }
  if (product.compute == ComputeType::int32) {
    compute = CUBLAS_COMPUTE_32I;
    scale = CUDA_R_32I;
    s.factors[0] = &s.int32[0];
    s.factors[1] = &s.int32[1];
  }
  require(s.library.create(&s.handle));
  require(s.library.description_create(&s.operation, compute, scale));
  const cublasOperation_t transposed = CUBLAS_OP_T;
  require(s.library.description_set(s.operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed)));
  if (product.fast_accumulation) {
    const std::int8_t one = 1;
    require(s.library.description_set(s.operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &one, sizeof(one)));
  }
  const auto m = static_cast<std::uint64_t>(product.m);
  const auto n = static_cast<std::uint64_t>(product.n);
  const auto k = static_cast<std::uint64_t>(product.k);
  require(s.library.layout_create(&s.a, data_type(product.a), k, m, product.leading_a));
  require(s.library.layout_create(&s.b, data_type(product.b), k, n, product.leading_b));
  require(s.library.layout_create(&s.d, data_type(product.d), m, n, product.leading_d));
  cublasLtMatmulPreference_t preference = nullptr;
  require(s.library.preference_create(&preference));
  require(s.library.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_limit_bytes,
                                   sizeof(workspace_limit_bytes)));
  int found = 0;
  require(s.library.get_heuristic(s.handle, s.operation, s.a, s.b, s.d, s.d, preference, 1, &s.chosen, &found));
  s.library.preference_destroy(preference);
  if (found == 0) throw Error("cuBLASLt knows no algorithm");
}

BareProduct::~BareProduct() = default;

void BareProduct::multiply(const device::ProductOperands& operands, device::Stream stream) {
  const State& s = *state_;
  require(s.library.matmul(s.handle, s.operation, s.factors[0], operands.a, s.a, operands.b, s.b, s.factors[1],
                           operands.d, s.d, operands.d, s.d, &s.chosen.algo, operands.workspace,
                           operands.workspace_bytes, raw(stream)));
}

}  // namespace gpucheck::cuda::benchmarks
