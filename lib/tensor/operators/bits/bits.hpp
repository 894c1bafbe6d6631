#pragma once

#include "tensor/call/operator.hpp"

/// Operations on the bits of whole numbers and booleans, element by element. @throws Error, as Loop does;
/// NotImplementedError for other types.
namespace gpucheck::tensor {

struct BitwiseAndTensorNotation {
  static constexpr std::string_view text = "bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor";
};
using BitwiseAndTensor = Operator<BitwiseAndTensorNotation>;
struct BitwiseAndScalarNotation {
  static constexpr std::string_view text = "bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor";
};
using BitwiseAndScalar = Operator<BitwiseAndScalarNotation>;
struct BitwiseAndOfScalarNotation {
  static constexpr std::string_view text = "bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor";
};
using BitwiseAndOfScalar = Operator<BitwiseAndOfScalarNotation>;
inline constexpr Overloads<BitwiseAndTensor, BitwiseAndScalar, BitwiseAndOfScalar> bitwise_and;
inline constexpr Overloads<InPlace<BitwiseAndTensor>, InPlace<BitwiseAndScalar>> bitwise_and_;
inline constexpr Overloads<Out<BitwiseAndTensor, "Tensor_out">, Out<BitwiseAndScalar, "Scalar_out">> bitwise_and_out;

struct BitwiseOrTensorNotation {
  static constexpr std::string_view text = "bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor";
};
using BitwiseOrTensor = Operator<BitwiseOrTensorNotation>;
struct BitwiseOrScalarNotation {
  static constexpr std::string_view text = "bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor";
};
using BitwiseOrScalar = Operator<BitwiseOrScalarNotation>;
struct BitwiseOrOfScalarNotation {
  static constexpr std::string_view text = "bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor";
};
using BitwiseOrOfScalar = Operator<BitwiseOrOfScalarNotation>;
inline constexpr Overloads<BitwiseOrTensor, BitwiseOrScalar, BitwiseOrOfScalar> bitwise_or;
inline constexpr Overloads<InPlace<BitwiseOrTensor>, InPlace<BitwiseOrScalar>> bitwise_or_;
inline constexpr Overloads<Out<BitwiseOrTensor, "Tensor_out">, Out<BitwiseOrScalar, "Scalar_out">> bitwise_or_out;

struct BitwiseXorTensorNotation {
  static constexpr std::string_view text = "bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor";
};
using BitwiseXorTensor = Operator<BitwiseXorTensorNotation>;
struct BitwiseXorScalarNotation {
  static constexpr std::string_view text = "bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor";
};
using BitwiseXorScalar = Operator<BitwiseXorScalarNotation>;
struct BitwiseXorOfScalarNotation {
  static constexpr std::string_view text = "bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor";
};
using BitwiseXorOfScalar = Operator<BitwiseXorOfScalarNotation>;
inline constexpr Overloads<BitwiseXorTensor, BitwiseXorScalar, BitwiseXorOfScalar> bitwise_xor;
inline constexpr Overloads<InPlace<BitwiseXorTensor>, InPlace<BitwiseXorScalar>> bitwise_xor_;
inline constexpr Overloads<Out<BitwiseXorTensor, "Tensor_out">, Out<BitwiseXorScalar, "Scalar_out">> bitwise_xor_out;

struct BitwiseNotNotation {
  static constexpr std::string_view text = "bitwise_not(Tensor self) -> Tensor";
};
using BitwiseNot = Operator<BitwiseNotNotation>;
/// Every bit the other way round; a boolean's one bit.
inline constexpr BitwiseNot bitwise_not;
inline constexpr InPlace<BitwiseNot> bitwise_not_;
inline constexpr Out<BitwiseNot, "out"> bitwise_not_out;

}  // namespace gpucheck::tensor
