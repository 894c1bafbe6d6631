#pragma once

#include <optional>

#include "base/dtype.hpp"
#include "tensor/core/scalar.hpp"
#include "tensor/core/tensor.hpp"

namespace gpucheck::tensor {

/// The type in which PyTorch computes with operands of several types: those with dimensions count before those without,
/// and these before numbers of the host, unless the later ones are of a greater kind. (`torch.result_type`.)
class ResultType {
 public:
  void add(const Tensor& tensor);
  void add(const Scalar& number);
  /// @param has_other_result the result is not of this type, as that of a comparison. @throws Error where nothing was
  /// added; NotImplementedError where the result would have complex numbers of halves, which gpucheck has not.
  [[nodiscard]] DType dtype(bool has_other_result = false) const;

 private:
  std::optional<DType> with_dimensions_;
  std::optional<DType> without_;
  std::optional<DType> numbers_;
};

}  // namespace gpucheck::tensor
