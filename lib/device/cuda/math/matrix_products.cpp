#include <cstring>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/math/cublaslt.hpp"

namespace gpucheck::cuda {
namespace {

using device::ComputeType;
using device::ElementType;
using device::MatrixProduct;
using device::ProductAlgorithm;
using device::ProductOperands;
using device::Result;
using device::Status;

static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(ProductAlgorithm::data));

/// The library has codes of its own. What the runtime has to say about a failure says more.
Status status_from(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return Status::success;
    case CUBLAS_STATUS_INVALID_VALUE:
      return Status::invalid_value;
    case CUBLAS_STATUS_NOT_SUPPORTED:
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return Status::not_supported;
    case CUBLAS_STATUS_ALLOC_FAILED:
      return Status::out_of_memory;
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return Status::initialization_error;
    default: {
      const cudaError_t error = cudaPeekAtLastError();
      return error != cudaSuccess ? to_status(error) : Status::unknown;
    }
  }
}

cudaDataType_t raw(ElementType type) {
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
    case ElementType::int32:
      break;
  }
  return CUDA_R_32I;
}

cublasComputeType_t raw(ComputeType type) {
  switch (type) {
    case ComputeType::fp64:
      return CUBLAS_COMPUTE_64F;
    case ComputeType::tf32:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    case ComputeType::int32:
      return CUBLAS_COMPUTE_32I;
    case ComputeType::fp32:
      break;
  }
  return CUBLAS_COMPUTE_32F;
}

cudaDataType_t scale_type(ComputeType type) {
  if (type == ComputeType::fp64) return CUDA_R_64F;
  return type == ComputeType::int32 ? CUDA_R_32I : CUDA_R_32F;
}

/// alpha or beta, in the type that the product is computed in.
class Factor {
 public:
  Factor(double value, ComputeType type) {
    if (type == ComputeType::fp64) {
      put(value);
    } else if (type == ComputeType::int32) {
      put(static_cast<std::int32_t>(value));
    } else {
      put(static_cast<float>(value));
    }
  }
  [[nodiscard]] const void* get() const { return bytes_; }

 private:
  template <typename T>
  void put(T value) {
    std::memcpy(bytes_, &value, sizeof(value));
  }
  alignas(8) unsigned char bytes_[8] = {};
};

/// What cuBLASLt wants to know of a product. The first call that fails is kept; those after it
/// are not made.
class Description {
 public:
  Description(const CublasLt& library, const MatrixProduct& product)
      : library_(library),
        status_(library.description_create(&operation_, raw(product.compute), scale_type(product.compute))) {
    const bool ta = product.transpose_a;
    const bool tb = product.transpose_b;
    set(CUBLASLT_MATMUL_DESC_TRANSA, ta ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, tb ? CUBLAS_OP_T : CUBLAS_OP_N);
    const bool is_fp8 = product.d == ElementType::bf16 && device::element_bytes(product.a) == 1;
    if (is_fp8 && product.fast_accumulation) set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
    lay_out(a_, product.a, ta ? product.k : product.m, ta ? product.m : product.k, product.leading_a);
    lay_out(b_, product.b, tb ? product.n : product.k, tb ? product.k : product.n, product.leading_b);
    lay_out(d_, product.d, product.m, product.n, product.leading_d);
    if (product.batch == 1) return;
    set_batch(a_, product.batch, product.batch_stride_a);
    set_batch(b_, product.batch, product.batch_stride_b);
    set_batch(d_, product.batch, product.batch_stride_d);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  ~Description() {
    for (cublasLtMatrixLayout_t layout : {a_, b_, d_}) {
      if (layout != nullptr) library_.layout_destroy(layout);
    }
    if (operation_ != nullptr) library_.description_destroy(operation_);
  }

  void set_scales(const ProductOperands& operands) {
    if (operands.scale_a != nullptr) set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands.scale_a);
    if (operands.scale_b != nullptr) set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands.scale_b);
  }

  [[nodiscard]] cublasStatus_t status() const { return status_; }
  [[nodiscard]] cublasLtMatmulDesc_t operation() const { return operation_; }
  [[nodiscard]] cublasLtMatrixLayout_t a() const { return a_; }
  [[nodiscard]] cublasLtMatrixLayout_t b() const { return b_; }
  [[nodiscard]] cublasLtMatrixLayout_t d() const { return d_; }

 private:
  template <typename T>
  void set(cublasLtMatmulDescAttributes_t attribute, T value) {
    if (status_ == CUBLAS_STATUS_SUCCESS) {
      status_ = library_.description_set(operation_, attribute, &value, sizeof(value));
    }
  }
  void lay_out(cublasLtMatrixLayout_t& layout, ElementType type, std::int64_t rows, std::int64_t columns,
               std::int64_t leading) {
    if (status_ == CUBLAS_STATUS_SUCCESS) {
      status_ = library_.layout_create(&layout, raw(type), static_cast<std::uint64_t>(rows),
                                       static_cast<std::uint64_t>(columns), leading);
    }
  }

  void set_batch(cublasLtMatrixLayout_t layout, std::int64_t count, std::int64_t stride) {
    set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(count));
    set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  }
  template <typename T>
  void set(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, T value) {
    if (status_ == CUBLAS_STATUS_SUCCESS) status_ = library_.layout_set(layout, attribute, &value, sizeof(value));
  }

  const CublasLt& library_;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t d_ = nullptr;
  cublasStatus_t status_;
};

/// The library's handle for the current GPU, which has that ordinal. Kept until the process ends:
/// one costs far more than a product's launch, and may be used by all threads.
Result<cublasLtHandle_t> handle_of(const CublasLt& library, int ordinal) {
  static std::mutex mutex;
  static std::map<int, cublasLtHandle_t> handles;
  const std::scoped_lock lock(mutex);
  const auto found = handles.find(ordinal);
  if (found != handles.end()) return found->second;
  cublasLtHandle_t handle = nullptr;
  if (const cublasStatus_t status = library.create(&handle); status != CUBLAS_STATUS_SUCCESS) {
    return status_from(status);
  }
  handles.emplace(ordinal, handle);
  return handle;
}

template <typename T>
T attribute_of(const CublasLt& library, const cublasLtMatmulAlgo_t& algorithm,
               cublasLtMatmulAlgoConfigAttributes_t attribute) {
  T value{};
  std::size_t written = 0;
  static_cast<void>(library.algorithm_get(&algorithm, attribute, &value, sizeof(value), &written));
  return value;
}

std::string description_of(const CublasLt& library, const cublasLtMatmulAlgo_t& algorithm) {
  return fmt::format("algorithm {}, tile {}, stages {}, split-k {}",
                     attribute_of<std::int32_t>(library, algorithm, CUBLASLT_ALGO_CONFIG_ID),
                     attribute_of<std::uint32_t>(library, algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID),
                     attribute_of<std::uint32_t>(library, algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID),
                     attribute_of<std::int32_t>(library, algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM));
}

/// The heuristics' first answer.
Result<ProductAlgorithm> first_algorithm(const CublasLt& library, cublasLtHandle_t handle, const MatrixProduct& product,
                                         std::uint64_t workspace_limit_bytes) {
  const Description description(library, product);
  if (description.status() != CUBLAS_STATUS_SUCCESS) return status_from(description.status());
  cublasLtMatmulPreference_t made = nullptr;
  cublasStatus_t status = library.preference_create(&made);
  if (status != CUBLAS_STATUS_SUCCESS) return status_from(status);
  const std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, decltype(library.preference_destroy)> preference(
      made, library.preference_destroy);
  status = library.preference_set(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_limit_bytes,
                                  sizeof(workspace_limit_bytes));
  if (status != CUBLAS_STATUS_SUCCESS) return status_from(status);
  if (product.wide_partial_sums) {
    const std::uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    status =
        library.preference_set(preference.get(), CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof(schemes));
    if (status != CUBLAS_STATUS_SUCCESS) return status_from(status);
  }
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  status = library.get_heuristic(handle, description.operation(), description.a(), description.b(), description.d(),
                                 description.d(), preference.get(), 1, &found, &count);
  if (status != CUBLAS_STATUS_SUCCESS) return status_from(status);
  if (count == 0) return Status::not_supported;
  if (found.state != CUBLAS_STATUS_SUCCESS) return status_from(found.state);
  ProductAlgorithm algorithm{.workspace_bytes = found.workspaceSize,
                             .description = description_of(library, found.algo)};
  std::memcpy(algorithm.data.data(), &found.algo, sizeof(found.algo));
  return algorithm;
}

std::string version_text(std::size_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace

Result<device::VendorLibrary> CudaDevice::math_library() {
  const LoadedCublasLt& loaded = cublaslt();
  if (!loaded.problem.empty()) return device::VendorLibrary{"cuBLASLt", "", loaded.problem};
  return device::VendorLibrary{"cuBLASLt", version_text(loaded.functions.get_version()), ""};
}

Result<ProductAlgorithm> CudaDevice::choose_algorithm(const MatrixProduct& product,
                                                      std::uint64_t workspace_limit_bytes) {
  if (const Status status = check_product(product); status != Status::success) return status;
  const LoadedCublasLt& loaded = cublaslt();
  if (!loaded.problem.empty()) return Status::shared_object_init_failed;
  if (const cudaError_t error = make_current(); error != cudaSuccess) return to_status(error);
  const Result<cublasLtHandle_t> handle = handle_of(loaded.functions, ordinal_);
  if (!handle) return handle.error();
  return first_algorithm(loaded.functions, *handle, product, workspace_limit_bytes);
}

Status CudaDevice::multiply(const MatrixProduct& product, const ProductAlgorithm& algorithm,
                            const ProductOperands& operands, device::Stream stream) {
  if (const Status status = check_product(product); status != Status::success) return status;
  if (const Status status = check_operands(algorithm, operands); status != Status::success) return status;
  const LoadedCublasLt& loaded = cublaslt();
  if (!loaded.problem.empty()) return Status::shared_object_init_failed;
  if (const cudaError_t error = make_current(); error != cudaSuccess) return to_status(error);
  const Result<cublasLtHandle_t> handle = handle_of(loaded.functions, ordinal_);
  if (!handle) return handle.error();
  Description description(loaded.functions, product);
  description.set_scales(operands);
  if (description.status() != CUBLAS_STATUS_SUCCESS) return status_from(description.status());
  cublasLtMatmulAlgo_t chosen{};
  std::memcpy(&chosen, algorithm.data.data(), sizeof(chosen));
  const Factor alpha(product.scale, product.compute);
  const Factor beta(product.beta, product.compute);
  return status_from(loaded.functions.matmul(*handle, description.operation(), alpha.get(), operands.a, description.a(),
                                             operands.b, description.b(), beta.get(), operands.d, description.d(),
                                             operands.d, description.d(), &chosen, operands.workspace,
                                             operands.workspace_bytes, cuda::raw(stream)));
}

}  // namespace gpucheck::cuda
