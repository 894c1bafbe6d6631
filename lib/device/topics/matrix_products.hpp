#pragma once

#include <cstdint>

#include "device/libraries/matrix_product.hpp"
#include "device/libraries/vendor_library.hpp"
#include "device/values/handles.hpp"
#include "device/values/status.hpp"

namespace gpucheck::device {

/// Products of matrices by the vendor's library (cuBLASLt), which is loaded when first asked
/// for; on the simulated device by a plain reference.
class MatrixProducts {
 public:
  /// Which library multiplies, or why none can. Loads it.
  [[nodiscard]] virtual Result<VendorLibrary> math_library() = 0;
  /// `cublasLtMatmulAlgoGetHeuristic`: the first algorithm that the library's heuristics name
  /// for the product, and that needs no more workspace than given. What `check_product` says;
  /// not_supported also where there is no such algorithm, shared_object_init_failed where
  /// there is no library.
  [[nodiscard]] virtual Result<ProductAlgorithm> choose_algorithm(const MatrixProduct& product,
                                                                  std::uint64_t workspace_limit_bytes) = 0;
  /// `cublasLtMatmul`, in the order of `stream`; may be captured. Until it is done nobody else
  /// may touch D and the workspace. The algorithm must have been chosen for this product on
  /// this device. What `check_product` and `check_operands` say, before anything is begun.
  virtual Status multiply(const MatrixProduct& product, const ProductAlgorithm& algorithm,
                          const ProductOperands& operands, Stream stream) = 0;

 protected:
  ~MatrixProducts() = default;
};

}  // namespace gpucheck::device

/// The operations of `MatrixProducts`: see `operations.hpp`.
#define GPUCHECK_MATRIX_PRODUCTS_OPERATIONS(OPERATION, ALSO)                                  \
  OPERATION(math_library, device::Result<device::VendorLibrary>, math_library, (), ())        \
  OPERATION(choose_algorithm, device::Result<device::ProductAlgorithm>, choose_algorithm,     \
            (const device::MatrixProduct& product, std::uint64_t workspace_limit_bytes),      \
            (product, workspace_limit_bytes))                                                 \
  OPERATION(multiply, device::Status, multiply,                                               \
            (const device::MatrixProduct& product, const device::ProductAlgorithm& algorithm, \
             const device::ProductOperands& operands, device::Stream stream),                 \
            (product, algorithm, operands, stream))
