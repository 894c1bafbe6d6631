#pragma once

#include "tensor/call/operator.hpp"

/// Operations on the bits of whole numbers and booleans, element by element. @throws Error, as Loop does;
/// NotImplementedError for other types.
namespace gpucheck::tensor {

using BitwiseAndTensor = Operator<"bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor">;
using BitwiseAndScalar = Operator<"bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor">;
using BitwiseAndOfScalar = Operator<"bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor">;
inline constexpr Overloads<BitwiseAndTensor, BitwiseAndScalar, BitwiseAndOfScalar> bitwise_and;
inline constexpr Overloads<InPlace<BitwiseAndTensor>, InPlace<BitwiseAndScalar>> bitwise_and_;
inline constexpr Overloads<Out<BitwiseAndTensor, "Tensor_out">, Out<BitwiseAndScalar, "Scalar_out">> bitwise_and_out;

using BitwiseOrTensor = Operator<"bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor">;
using BitwiseOrScalar = Operator<"bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor">;
using BitwiseOrOfScalar = Operator<"bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor">;
inline constexpr Overloads<BitwiseOrTensor, BitwiseOrScalar, BitwiseOrOfScalar> bitwise_or;
inline constexpr Overloads<InPlace<BitwiseOrTensor>, InPlace<BitwiseOrScalar>> bitwise_or_;
inline constexpr Overloads<Out<BitwiseOrTensor, "Tensor_out">, Out<BitwiseOrScalar, "Scalar_out">> bitwise_or_out;

using BitwiseXorTensor = Operator<"bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor">;
using BitwiseXorScalar = Operator<"bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor">;
using BitwiseXorOfScalar = Operator<"bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor">;
inline constexpr Overloads<BitwiseXorTensor, BitwiseXorScalar, BitwiseXorOfScalar> bitwise_xor;
inline constexpr Overloads<InPlace<BitwiseXorTensor>, InPlace<BitwiseXorScalar>> bitwise_xor_;
inline constexpr Overloads<Out<BitwiseXorTensor, "Tensor_out">, Out<BitwiseXorScalar, "Scalar_out">> bitwise_xor_out;

using BitwiseNot = Operator<"bitwise_not(Tensor self) -> Tensor">;
/// Every bit the other way round; a boolean's one bit.
inline constexpr BitwiseNot bitwise_not;
inline constexpr InPlace<BitwiseNot> bitwise_not_;
inline constexpr Out<BitwiseNot, "out"> bitwise_not_out;

}  // namespace gpucheck::tensor
