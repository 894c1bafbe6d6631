#include "tensor/iterator/promotion.hpp"

#include "tensor/core/errors.hpp"

namespace gpucheck::tensor {
namespace {

void promote_into(std::optional<DType>& type, DType other) { type = type ? promote(*type, other) : other; }

DType complex_of(DType floating, bool has_other_result) {
  if (floating == DType::float16 && !has_other_result) {
    throw NotImplementedError("\"operators\" not implemented for 'ComplexHalf'");
  }
  return floating == DType::float64 ? DType::complex128 : DType::complex64;
}

/// The type of operands that count more, with what those that count less add to it.
std::optional<DType> combined(std::optional<DType> more, std::optional<DType> less, bool has_other_result) {
  if (!more) return less;
  if (!less || is_complex(*more)) return more;
  if (is_floating(*more)) return is_complex(*less) ? complex_of(*more, has_other_result) : more;
  if (*more == DType::boolean || is_floating(*less) || is_complex(*less)) return promote(*more, *less);
  return more;
}

}  // namespace

void ResultType::add(const Tensor& tensor) {
  promote_into(tensor.rank() > 0 ? with_dimensions_ : without_, tensor.dtype());
}

void ResultType::add(const Scalar& number) { promote_into(numbers_, number.default_dtype()); }

DType ResultType::dtype(bool has_other_result) const {
  const auto type = combined(with_dimensions_, combined(without_, numbers_, has_other_result), has_other_result);
  if (!type) throw Error("an operator without operands has no type");
  return *type;
}

}  // namespace gpucheck::tensor
