#pragma once

#include <algorithm>
#include <initializer_list>

#include "tensor/call/operator.hpp"

/// New tensors, on the host unless a device is asked for.
namespace gpucheck::tensor {

struct EmptyMemoryFormatNotation {
  static constexpr std::string_view text =
      "empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
      "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor";
};
using EmptyMemoryFormat = Operator<EmptyMemoryFormatNotation>;
struct FullNotation {
  static constexpr std::string_view text =
      "full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
      "device=None, bool? pin_memory=None) -> Tensor";
};
using Full = Operator<FullNotation>;
struct ZerosNotation {
  static constexpr std::string_view text =
      "zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
      "pin_memory=None) -> Tensor";
};
using Zeros = Operator<ZerosNotation>;
struct OnesNotation {
  static constexpr std::string_view text =
      "ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
      "pin_memory=None) -> Tensor";
};
using Ones = Operator<OnesNotation>;

/// Elements are undefined. @throws as make_empty does.
[[nodiscard]] inline Tensor empty(const Sizes& sizes, DType dtype = DType::float32, Device device = host) {
  return EmptyMemoryFormat{}(sizes, dtype, std::nullopt, device);
}
/// Every element is the number.
[[nodiscard]] inline Tensor full(const Sizes& sizes, const Scalar& number, DType dtype = DType::float32,
                                 Device device = host) {
  return Full{}(sizes, number, dtype, std::nullopt, device);
}
[[nodiscard]] inline Tensor zeros(const Sizes& sizes, DType dtype = DType::float32, Device device = host) {
  return Zeros{}(sizes, dtype, std::nullopt, device);
}
[[nodiscard]] inline Tensor ones(const Sizes& sizes, DType dtype = DType::float32, Device device = host) {
  return Ones{}(sizes, dtype, std::nullopt, device);
}

struct ArangeStartStepNotation {
  static constexpr std::string_view text =
      "arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, "
      "Device? device=None, bool? pin_memory=None) -> Tensor";
};
using ArangeStartStep = Operator<ArangeStartStepNotation>;
/// Numbers from start up to, but not, end: of whole ones int64 unless another type is asked for. @throws Error with
/// PyTorch's texts.
[[nodiscard]] inline Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step = 1,
                                   std::optional<DType> dtype = std::nullopt, Device device = host) {
  return ArangeStartStep{}(start, end, step, dtype, std::nullopt, device);
}

/// A tensor of the host with these elements, one after another. T is how the type is stored: std::int64_t, float, bool,
/// ...
template <typename T>
[[nodiscard]] Tensor from_values(std::initializer_list<T> values, const Sizes& sizes, DType dtype) {
  const Tensor result = make_empty(sizes, dtype, host);
  if (values.size() != static_cast<std::size_t>(result.count()) || sizeof(T) != element_bytes(dtype)) {
    throw Error("as many values as elements are needed, of the element's size");
  }
  std::copy(values.begin(), values.end(), result.data_as<T>());
  return result;
}

struct FillScalarNotation {
  static constexpr std::string_view text = "fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)";
};
using FillScalar = Operator<FillScalarNotation>;
struct FillTensorNotation {
  static constexpr std::string_view text = "fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)";
};
using FillTensor = Operator<FillTensorNotation>;
/// All elements become one number. @throws Error for a value with dimensions.
inline constexpr Overloads<FillScalar, FillTensor> fill_;
struct ZeroInPlaceNotation {
  static constexpr std::string_view text = "zero_(Tensor(a!) self) -> Tensor(a!)";
};
using ZeroInPlace = Operator<ZeroInPlaceNotation>;
inline constexpr ZeroInPlace zero_;

}  // namespace gpucheck::tensor
