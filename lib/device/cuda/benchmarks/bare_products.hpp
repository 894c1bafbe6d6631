#pragma once

#include <memory>

#include "device/libraries/matrix_product.hpp"
#include "device/values/handles.hpp"

/// Products by the vendor's calls alone: what gpucheck's are measured against.
namespace gpucheck::cuda::benchmarks {

/// A product with all that cuBLASLt wants to know of it, made once. The GPU must be current.
class BareProduct {
 public:
  /// With the first algorithm that the heuristics name. @throws Error.
  BareProduct(const device::MatrixProduct& product, std::uint64_t workspace_limit_bytes);
  ~BareProduct();
  BareProduct(const BareProduct&) = delete;
  BareProduct& operator=(const BareProduct&) = delete;

  /// @throws Error.
  void multiply(const device::ProductOperands& operands, device::Stream stream);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpucheck::cuda::benchmarks
