#include "tensor/operators/operands.hpp"

#include "tensor/core/elements.hpp"
#include "tensor/iterator/promotion.hpp"
#include "tensor/operators/copies/copies.hpp"

namespace gpucheck::tensor {
namespace {

bool holds(DType dtype, DType other) {
  if (dtype == other || other == DType::boolean) return true;
  // Kernels load as float32 or more, as a conversion would.
  if (is_complex(dtype) || (is_floating(dtype) && element_bytes(dtype) > 2)) return true;
  if (is_floating(dtype)) return is_integral(other) && element_bytes(other) == 1;
  return is_integral(other) && promote(dtype, other) == dtype;
}

}  // namespace

Tensor as_computed(const Tensor& tensor, DType dtype) {
  return holds(dtype, tensor.dtype()) ? tensor : to(tensor, dtype);
}

Scalar as_computed(const Scalar& number, DType dtype) {
  if (!is_floating(dtype)) return number;
  return device::kernels::with_stored_type(dtype, [&]<typename T>(std::type_identity<T>) {
    return Scalar(device::kernels::convert_element<double>(device::kernels::convert_element<T>(number.to_double())));
  });
}

DType common_dtype(const Tensor& a, const Tensor& b, bool has_other_result) {
  ResultType type;
  type.add(a);
  type.add(b);
  return type.dtype(has_other_result);
}

DType common_dtype(const Tensor& a, const Scalar& b, bool has_other_result) {
  ResultType type;
  type.add(a);
  type.add(b);
  return type.dtype(has_other_result);
}

DType common_dtype(const Scalar& a, const Tensor& b) { return common_dtype(b, a); }

std::string_view to_cpp_text(DType dtype) noexcept {
  switch (dtype) {
    case DType::uint8:
      return "unsigned char";
    case DType::int8:
      return "signed char";
    case DType::int16:
      return "short int";
    case DType::int32:
      return "int";
    case DType::int64:
      return "long int";
    case DType::float16:
      return "c10::Half";
    case DType::float64:
      return "double";
    case DType::complex64:
      return "c10::complex<float>";
    case DType::complex128:
      return "c10::complex<double>";
    case DType::boolean:
      return "bool";
    case DType::bfloat16:
      return "c10::BFloat16";
    case DType::float32:
      break;
  }
  return "float";
}

}  // namespace gpucheck::tensor
