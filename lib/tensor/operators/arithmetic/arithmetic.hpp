#pragma once

#include "tensor/call/operator.hpp"

/// Arithmetic, element by element: types are promoted, shapes broadcast. Whole numbers wrap around. What ends in "_"
/// works in place of its first argument, what ends in "_out" in its last. @throws Error, as Loop does, and with
/// PyTorch's texts for types that an operator does not take.
namespace gpucheck::tensor {

using AddTensor = Operator<"add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor">;
using AddScalar = Operator<"add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor">;
/// self + alpha other
inline constexpr Overloads<AddTensor, AddScalar> add;
inline constexpr Overloads<InPlace<AddTensor>, InPlace<AddScalar>> add_;
inline constexpr Out<AddTensor, "out"> add_out;

using SubTensor = Operator<"sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor">;
using SubScalar = Operator<"sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor">;
/// self - alpha other; not of booleans
inline constexpr Overloads<SubTensor, SubScalar> sub;
inline constexpr Overloads<InPlace<SubTensor>, InPlace<SubScalar>> sub_;
inline constexpr Out<SubTensor, "out"> sub_out;

using RsubTensor = Operator<"rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor">;
using RsubScalar = Operator<"rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor">;
/// other - alpha self; not of booleans
inline constexpr Overloads<RsubTensor, RsubScalar> rsub;

using MulTensor = Operator<"mul.Tensor(Tensor self, Tensor other) -> Tensor">;
using MulScalar = Operator<"mul.Scalar(Tensor self, Scalar other) -> Tensor">;
/// self other
inline constexpr Overloads<MulTensor, MulScalar> mul;
inline constexpr Overloads<InPlace<MulTensor>, InPlace<MulScalar>> mul_;
inline constexpr Out<MulTensor, "out"> mul_out;

using DivTensor = Operator<"div.Tensor(Tensor self, Tensor other) -> Tensor">;
using DivScalar = Operator<"div.Scalar(Tensor self, Scalar other) -> Tensor">;
/// self / other: of whole numbers float32.
inline constexpr Overloads<DivTensor, DivScalar> div;
inline constexpr Overloads<InPlace<DivTensor>, InPlace<DivScalar>> div_;
inline constexpr Out<DivTensor, "out"> div_out;

using Neg = Operator<"neg(Tensor self) -> Tensor">;
/// -self; not of booleans
inline constexpr Neg neg;
inline constexpr InPlace<Neg> neg_;
inline constexpr Out<Neg, "out"> neg_out;

}  // namespace gpucheck::tensor
