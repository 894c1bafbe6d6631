#pragma once

#include <initializer_list>
#include <string_view>

#include "tensor/core/scalar.hpp"
#include "tensor/iterator/destination.hpp"

/// What products of matrices share.
namespace gpucheck::tensor::operators::in_products {

/// A tensor as matrices of one size. Strides in elements.
struct Matrices {
  Tensor tensor;
  std::int64_t batch = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t batch_stride = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;

  [[nodiscard]] Matrices transposed() const;
};
/// A tensor of two or three dimensions.
[[nodiscard]] Matrices matrices_of(const Tensor& tensor);
/// A tensor of at most one dimension.
[[nodiscard]] Matrices row_of(const Tensor& vector);
[[nodiscard]] Matrices column_of(const Tensor& vector);

struct Factors {
  Scalar beta = 0;  ///< of what the result was; not read with 0
  Scalar alpha = 1;
};

/// result = beta result + alpha a b, of tensors of one type on one device. On a device on its current stream.
/// @param name of the kernel, for types that have none. @throws NotImplementedError, DeviceError, OutOfMemoryError.
void multiply(const Matrices& result, const Matrices& a, const Matrices& b, const Factors& factors,
              std::string_view name);

/// The same on the host, element by element as `multiply` takes them.
void multiply_on_host(const Matrices& result, const Matrices& a, const Matrices& b, const Factors& factors,
                      std::string_view name);

/// Where a product goes. @throws Error with PyTorch's texts for a result that is there and has another type, or in
/// place another size.
[[nodiscard]] Tensor result_for(const Destination& destination, const Sizes& sizes, const Tensor& like);
/// The same, with what is added to the product in it, unless beta is 0. `self` is expanded to the sizes.
[[nodiscard]] Tensor result_with(const Destination& destination, const Sizes& sizes, const Tensor& self,
                                 const Scalar& beta);

struct NamedTensor {
  std::string_view name;
  const Tensor& tensor;
};
/// @param name of the operator, as the functions that PyTorch generates have it. @throws Error with PyTorch's text
/// where the tensors, and the result that is there, are not on one device.
void require_one_device(const Destination& destination, std::string_view name,
                        std::initializer_list<NamedTensor> tensors);

/// @throws Error "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)".
void require_fitting(const Tensor& mat1, const Tensor& mat2);
/// @throws Error "expected scalar type Float but found Double".
void require_type(const Tensor& tensor, DType expected);

}  // namespace gpucheck::tensor::operators::in_products
