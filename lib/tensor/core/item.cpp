#include "tensor/core/item.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "tensor/core/elements.hpp"

namespace gpucheck::tensor {

Scalar host_item(const Tensor& tensor) {
  if (tensor.count() != 1) {
    throw Error(fmt::format("a Tensor with {} elements cannot be converted to Scalar", tensor.count()));
  }
  namespace kernels = device::kernels;
  if (is_complex(tensor.dtype())) {
    const auto number = kernels::load_as<kernels::Complex<double>>(tensor.data(), tensor.dtype());
    return Scalar::Complex(number.real, number.imaginary);
  }
  if (is_floating(tensor.dtype())) return kernels::load_as<double>(tensor.data(), tensor.dtype());
  const auto whole = kernels::load_as<std::int64_t>(tensor.data(), tensor.dtype());
  if (tensor.dtype() == DType::boolean) return whole != 0;
  return whole;
}

}  // namespace gpucheck::tensor
