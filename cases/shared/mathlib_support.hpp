#pragma once

#include <cstdint>

#include "harness/case/context.hpp"
#include "tensor/core/tensor.hpp"
#include "tensor/libraries/precision.hpp"

/// What cases about the libraries of mathematics share.
namespace gpucheck::cases::in_mathlib {

/// Leaves the settings of products as they were before.
class MatmulSettingsScope {
 public:
  MatmulSettingsScope() = default;
  ~MatmulSettingsScope() { tensor::set_matmul_settings(before_); }
  MatmulSettingsScope(const MatmulSettingsScope&) = delete;
  MatmulSettingsScope& operator=(const MatmulSettingsScope&) = delete;

  [[nodiscard]] const tensor::MatmulSettings& before() const noexcept { return before_; }

 private:
  tensor::MatmulSettings before_ = tensor::matmul_settings();
};

/// Elements that are not that number, once the current stream has them.
[[nodiscard]] std::int64_t elements_unlike(const tensor::Tensor& tensor, double number);

/// Wrong elements of a product of two matrices of ones, which no precision rounds.
[[nodiscard]] std::int64_t wrong_elements_of_ones(harness::Context& context, DType dtype);

}  // namespace gpucheck::cases::in_mathlib
