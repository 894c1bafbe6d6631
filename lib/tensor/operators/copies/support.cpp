#include "tensor/operators/copies/support.hpp"

namespace gpucheck::tensor::operators::in_copies {
namespace {

/// A type whose elements have as many bytes and are copied bit by bit.
DType bits_like(DType dtype) {
  switch (element_bytes(dtype)) {
    case 1:
      return DType::uint8;
    case 2:
      return DType::int16;
    case 4:
      return DType::int32;
    case 8:
      return DType::int64;
    default:
      return DType::complex128;
  }
}

}  // namespace

Tensor as_bits(const Tensor& tensor) { return {tensor.storage(), bits_like(tensor.dtype()), tensor.geometry()}; }

}  // namespace gpucheck::tensor::operators::in_copies
