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
using DivTensorMode = Operator<"div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor">;
using DivScalarMode = Operator<"div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor">;
/// self / other: of whole numbers float32. With a rounding mode the quotient is rounded towards zero ("trunc") or down
/// ("floor"), and has the operands' own type. @throws Error, "ZeroDivisionError", where whole numbers on the host are
/// divided by zero and rounded; a device goes on with a number that means nothing. So do the next three.
inline constexpr Overloads<DivTensor, DivScalar, DivTensorMode, DivScalarMode> div;
inline constexpr Overloads<InPlace<DivTensor>, InPlace<DivScalar>, InPlace<DivTensorMode>, InPlace<DivScalarMode>> div_;
inline constexpr Overloads<Out<DivTensor, "out">, Out<DivTensorMode, "out_mode">> div_out;

using FloorDivide = Operator<"floor_divide(Tensor self, Tensor other) -> Tensor">;
using FloorDivideScalar = Operator<"floor_divide.Scalar(Tensor self, Scalar other) -> Tensor">;
using FloorDivideInPlace = Operator<"floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)">;
/// The quotient rounded down.
inline constexpr Overloads<FloorDivide, FloorDivideScalar> floor_divide;
inline constexpr Overloads<FloorDivideInPlace, InPlace<FloorDivideScalar>> floor_divide_;
inline constexpr Out<FloorDivide, "out"> floor_divide_out;

using RemainderTensor = Operator<"remainder.Tensor(Tensor self, Tensor other) -> Tensor">;
using RemainderScalar = Operator<"remainder.Scalar(Tensor self, Scalar other) -> Tensor">;
using RemainderOfScalar = Operator<"remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor">;
/// What the quotient rounded down leaves: of the divisor's sign.
inline constexpr Overloads<RemainderTensor, RemainderScalar, RemainderOfScalar> remainder;
inline constexpr Overloads<InPlace<RemainderTensor>, InPlace<RemainderScalar>> remainder_;
inline constexpr Overloads<Out<RemainderTensor, "Tensor_out">, Out<RemainderScalar, "Scalar_out">> remainder_out;

using FmodTensor = Operator<"fmod.Tensor(Tensor self, Tensor other) -> Tensor">;
using FmodScalar = Operator<"fmod.Scalar(Tensor self, Scalar other) -> Tensor">;
/// What the quotient rounded towards zero leaves: of the dividend's sign.
inline constexpr Overloads<FmodTensor, FmodScalar> fmod;
inline constexpr Overloads<InPlace<FmodTensor>, InPlace<FmodScalar>> fmod_;
inline constexpr Overloads<Out<FmodTensor, "Tensor_out">, Out<FmodScalar, "Scalar_out">> fmod_out;

using Neg = Operator<"neg(Tensor self) -> Tensor">;
/// -self; not of booleans
inline constexpr Neg neg;
inline constexpr InPlace<Neg> neg_;
inline constexpr Out<Neg, "out"> neg_out;

using Abs = Operator<"abs(Tensor self) -> Tensor">;
/// The absolute value: of complex numbers a real one, not in place.
inline constexpr Abs abs;
inline constexpr InPlace<Abs> abs_;
inline constexpr Out<Abs, "out"> abs_out;

using Sign = Operator<"sign(Tensor self) -> Tensor">;
/// -1, 0 or 1: 0 of NaN; not of complex numbers
inline constexpr Sign sign;
inline constexpr InPlace<Sign> sign_;
inline constexpr Out<Sign, "out"> sign_out;

using Reciprocal = Operator<"reciprocal(Tensor self) -> Tensor">;
/// 1 / self: of whole numbers float32, as the next two.
inline constexpr Reciprocal reciprocal;
inline constexpr InPlace<Reciprocal> reciprocal_;
inline constexpr Out<Reciprocal, "out"> reciprocal_out;

using Sqrt = Operator<"sqrt(Tensor self) -> Tensor">;
/// The square root.
inline constexpr Sqrt sqrt;
inline constexpr InPlace<Sqrt> sqrt_;
inline constexpr Out<Sqrt, "out"> sqrt_out;

using Rsqrt = Operator<"rsqrt(Tensor self) -> Tensor">;
/// 1 / the square root.
inline constexpr Rsqrt rsqrt;
inline constexpr InPlace<Rsqrt> rsqrt_;
inline constexpr Out<Rsqrt, "out"> rsqrt_out;

using Square = Operator<"square(Tensor self) -> Tensor">;
/// pow(self, 2)
inline constexpr Square square;
inline constexpr InPlace<Square> square_;
inline constexpr Out<Square, "out"> square_out;

using PowTensorTensor = Operator<"pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor">;
using PowTensorScalar = Operator<"pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor">;
using PowScalar = Operator<"pow.Scalar(Scalar self, Tensor exponent) -> Tensor">;
using PowTensorInPlace = Operator<"pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)">;
using PowScalarInPlace = Operator<"pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)">;
/// self to a power. @throws Error for a whole tensor to a whole number below zero.
inline constexpr Overloads<PowTensorTensor, PowTensorScalar, PowScalar> pow;
inline constexpr Overloads<PowTensorInPlace, PowScalarInPlace> pow_;
inline constexpr Overloads<Out<PowTensorTensor, "Tensor_Tensor_out">, Out<PowTensorScalar, "Tensor_Scalar_out">,
                           Out<PowScalar, "Scalar_out">>
    pow_out;

using Maximum = Operator<"maximum(Tensor self, Tensor other) -> Tensor">;
using Minimum = Operator<"minimum(Tensor self, Tensor other) -> Tensor">;
/// The greater of both, NaN where one is; not of complex numbers
inline constexpr Maximum maximum;
inline constexpr Out<Maximum, "out"> maximum_out;
/// The smaller of both, likewise.
inline constexpr Minimum minimum;
inline constexpr Out<Minimum, "out"> minimum_out;

using ClampScalar = Operator<"clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor">;
using ClampTensor = Operator<"clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor">;
/// self, not below min, and then not above max; NaN stays. One of both must be given.
inline constexpr Overloads<ClampScalar, ClampTensor> clamp;
inline constexpr Overloads<InPlace<ClampScalar>, InPlace<ClampTensor>> clamp_;
inline constexpr Overloads<Out<ClampScalar, "out">, Out<ClampTensor, "Tensor_out">> clamp_out;
using ClampMin = Operator<"clamp_min(Tensor self, Scalar min) -> Tensor">;
using ClampMinTensor = Operator<"clamp_min.Tensor(Tensor self, Tensor min) -> Tensor">;
inline constexpr Overloads<ClampMin, ClampMinTensor> clamp_min;
inline constexpr Overloads<InPlace<ClampMin>, InPlace<ClampMinTensor>> clamp_min_;
inline constexpr Overloads<Out<ClampMin, "out">, Out<ClampMinTensor, "Tensor_out">> clamp_min_out;
using ClampMax = Operator<"clamp_max(Tensor self, Scalar max) -> Tensor">;
using ClampMaxTensor = Operator<"clamp_max.Tensor(Tensor self, Tensor max) -> Tensor">;
inline constexpr Overloads<ClampMax, ClampMaxTensor> clamp_max;
inline constexpr Overloads<InPlace<ClampMax>, InPlace<ClampMaxTensor>> clamp_max_;
inline constexpr Overloads<Out<ClampMax, "out">, Out<ClampMaxTensor, "Tensor_out">> clamp_max_out;

using LerpScalar = Operator<"lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor">;
using LerpTensor = Operator<"lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor">;
/// self + weight (end - self). @throws Error where types differ.
inline constexpr Overloads<LerpScalar, LerpTensor> lerp;
inline constexpr Overloads<InPlace<LerpScalar>, InPlace<LerpTensor>> lerp_;
inline constexpr Overloads<Out<LerpScalar, "Scalar_out">, Out<LerpTensor, "Tensor_out">> lerp_out;

using Addcmul = Operator<"addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor">;
using Addcdiv = Operator<"addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor">;
/// self + value tensor1 tensor2
inline constexpr Addcmul addcmul;
inline constexpr InPlace<Addcmul> addcmul_;
inline constexpr Out<Addcmul, "out"> addcmul_out;
/// self + value tensor1 / tensor2; not of whole numbers alone
inline constexpr Addcdiv addcdiv;
inline constexpr InPlace<Addcdiv> addcdiv_;
inline constexpr Out<Addcdiv, "out"> addcdiv_out;

}  // namespace gpucheck::tensor
