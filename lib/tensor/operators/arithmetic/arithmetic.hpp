#pragma once

#include "tensor/call/operator.hpp"

/// Arithmetic, element by element: types are promoted, shapes broadcast. Whole numbers wrap around. What ends in "_"
/// works in place of its first argument, what ends in "_out" in its last. @throws Error, as Loop does, and with
/// PyTorch's texts for types that an operator does not take.
namespace gpucheck::tensor {

struct AddTensorNotation {
  static constexpr std::string_view text = "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
};
using AddTensor = Operator<AddTensorNotation>;
struct AddScalarNotation {
  static constexpr std::string_view text = "add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor";
};
using AddScalar = Operator<AddScalarNotation>;
/// self + alpha other
inline constexpr Overloads<AddTensor, AddScalar> add;
inline constexpr Overloads<InPlace<AddTensor>, InPlace<AddScalar>> add_;
inline constexpr Out<AddTensor, "out"> add_out;

struct SubTensorNotation {
  static constexpr std::string_view text = "sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
};
using SubTensor = Operator<SubTensorNotation>;
struct SubScalarNotation {
  static constexpr std::string_view text = "sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor";
};
using SubScalar = Operator<SubScalarNotation>;
/// self - alpha other; not of booleans
inline constexpr Overloads<SubTensor, SubScalar> sub;
inline constexpr Overloads<InPlace<SubTensor>, InPlace<SubScalar>> sub_;
inline constexpr Out<SubTensor, "out"> sub_out;

struct RsubTensorNotation {
  static constexpr std::string_view text = "rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
};
using RsubTensor = Operator<RsubTensorNotation>;
struct RsubScalarNotation {
  static constexpr std::string_view text = "rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor";
};
using RsubScalar = Operator<RsubScalarNotation>;
/// other - alpha self; not of booleans
inline constexpr Overloads<RsubTensor, RsubScalar> rsub;

struct MulTensorNotation {
  static constexpr std::string_view text = "mul.Tensor(Tensor self, Tensor other) -> Tensor";
};
using MulTensor = Operator<MulTensorNotation>;
struct MulScalarNotation {
  static constexpr std::string_view text = "mul.Scalar(Tensor self, Scalar other) -> Tensor";
};
using MulScalar = Operator<MulScalarNotation>;
/// self other
inline constexpr Overloads<MulTensor, MulScalar> mul;
inline constexpr Overloads<InPlace<MulTensor>, InPlace<MulScalar>> mul_;
inline constexpr Out<MulTensor, "out"> mul_out;

struct DivTensorNotation {
  static constexpr std::string_view text = "div.Tensor(Tensor self, Tensor other) -> Tensor";
};
using DivTensor = Operator<DivTensorNotation>;
struct DivScalarNotation {
  static constexpr std::string_view text = "div.Scalar(Tensor self, Scalar other) -> Tensor";
};
using DivScalar = Operator<DivScalarNotation>;
struct DivTensorModeNotation {
  static constexpr std::string_view text =
      "div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor";
};
using DivTensorMode = Operator<DivTensorModeNotation>;
struct DivScalarModeNotation {
  static constexpr std::string_view text =
      "div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor";
};
using DivScalarMode = Operator<DivScalarModeNotation>;
/// self / other: of whole numbers float32. With a rounding mode the quotient is rounded towards zero ("trunc") or down
/// ("floor"), and has the operands' own type. @throws Error, "ZeroDivisionError", where whole numbers on the host are
/// divided by zero and rounded; a device goes on with a number that means nothing. So do the next three.
inline constexpr Overloads<DivTensor, DivScalar, DivTensorMode, DivScalarMode> div;
inline constexpr Overloads<InPlace<DivTensor>, InPlace<DivScalar>, InPlace<DivTensorMode>, InPlace<DivScalarMode>> div_;
inline constexpr Overloads<Out<DivTensor, "out">, Out<DivTensorMode, "out_mode">> div_out;

struct FloorDivideNotation {
  static constexpr std::string_view text = "floor_divide(Tensor self, Tensor other) -> Tensor";
};
using FloorDivide = Operator<FloorDivideNotation>;
struct FloorDivideScalarNotation {
  static constexpr std::string_view text = "floor_divide.Scalar(Tensor self, Scalar other) -> Tensor";
};
using FloorDivideScalar = Operator<FloorDivideScalarNotation>;
struct FloorDivideInPlaceNotation {
  static constexpr std::string_view text = "floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)";
};
using FloorDivideInPlace = Operator<FloorDivideInPlaceNotation>;
/// The quotient rounded down.
inline constexpr Overloads<FloorDivide, FloorDivideScalar> floor_divide;
inline constexpr Overloads<FloorDivideInPlace, InPlace<FloorDivideScalar>> floor_divide_;
inline constexpr Out<FloorDivide, "out"> floor_divide_out;

struct RemainderTensorNotation {
  static constexpr std::string_view text = "remainder.Tensor(Tensor self, Tensor other) -> Tensor";
};
using RemainderTensor = Operator<RemainderTensorNotation>;
struct RemainderScalarNotation {
  static constexpr std::string_view text = "remainder.Scalar(Tensor self, Scalar other) -> Tensor";
};
using RemainderScalar = Operator<RemainderScalarNotation>;
struct RemainderOfScalarNotation {
  static constexpr std::string_view text = "remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor";
};
using RemainderOfScalar = Operator<RemainderOfScalarNotation>;
/// What the quotient rounded down leaves: of the divisor's sign.
inline constexpr Overloads<RemainderTensor, RemainderScalar, RemainderOfScalar> remainder;
inline constexpr Overloads<InPlace<RemainderTensor>, InPlace<RemainderScalar>> remainder_;
inline constexpr Overloads<Out<RemainderTensor, "Tensor_out">, Out<RemainderScalar, "Scalar_out">> remainder_out;

struct FmodTensorNotation {
  static constexpr std::string_view text = "fmod.Tensor(Tensor self, Tensor other) -> Tensor";
};
using FmodTensor = Operator<FmodTensorNotation>;
struct FmodScalarNotation {
  static constexpr std::string_view text = "fmod.Scalar(Tensor self, Scalar other) -> Tensor";
};
using FmodScalar = Operator<FmodScalarNotation>;
/// What the quotient rounded towards zero leaves: of the dividend's sign.
inline constexpr Overloads<FmodTensor, FmodScalar> fmod;
inline constexpr Overloads<InPlace<FmodTensor>, InPlace<FmodScalar>> fmod_;
inline constexpr Overloads<Out<FmodTensor, "Tensor_out">, Out<FmodScalar, "Scalar_out">> fmod_out;

struct NegNotation {
  static constexpr std::string_view text = "neg(Tensor self) -> Tensor";
};
using Neg = Operator<NegNotation>;
/// -self; not of booleans
inline constexpr Neg neg;
inline constexpr InPlace<Neg> neg_;
inline constexpr Out<Neg, "out"> neg_out;

struct AbsNotation {
  static constexpr std::string_view text = "abs(Tensor self) -> Tensor";
};
using Abs = Operator<AbsNotation>;
/// The absolute value: of complex numbers a real one, not in place.
inline constexpr Abs abs;
inline constexpr InPlace<Abs> abs_;
inline constexpr Out<Abs, "out"> abs_out;

struct SignNotation {
  static constexpr std::string_view text = "sign(Tensor self) -> Tensor";
};
using Sign = Operator<SignNotation>;
/// -1, 0 or 1: 0 of NaN; not of complex numbers
inline constexpr Sign sign;
inline constexpr InPlace<Sign> sign_;
inline constexpr Out<Sign, "out"> sign_out;

struct ReciprocalNotation {
  static constexpr std::string_view text = "reciprocal(Tensor self) -> Tensor";
};
using Reciprocal = Operator<ReciprocalNotation>;
/// 1 / self: of whole numbers float32, as the next two.
inline constexpr Reciprocal reciprocal;
inline constexpr InPlace<Reciprocal> reciprocal_;
inline constexpr Out<Reciprocal, "out"> reciprocal_out;

struct SqrtNotation {
  static constexpr std::string_view text = "sqrt(Tensor self) -> Tensor";
};
using Sqrt = Operator<SqrtNotation>;
/// The square root.
inline constexpr Sqrt sqrt;
inline constexpr InPlace<Sqrt> sqrt_;
inline constexpr Out<Sqrt, "out"> sqrt_out;

struct RsqrtNotation {
  static constexpr std::string_view text = "rsqrt(Tensor self) -> Tensor";
};
using Rsqrt = Operator<RsqrtNotation>;
/// 1 / the square root.
inline constexpr Rsqrt rsqrt;
inline constexpr InPlace<Rsqrt> rsqrt_;
inline constexpr Out<Rsqrt, "out"> rsqrt_out;

struct SquareNotation {
  static constexpr std::string_view text = "square(Tensor self) -> Tensor";
};
using Square = Operator<SquareNotation>;
/// pow(self, 2)
inline constexpr Square square;
inline constexpr InPlace<Square> square_;
inline constexpr Out<Square, "out"> square_out;

struct PowTensorTensorNotation {
  static constexpr std::string_view text = "pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor";
};
using PowTensorTensor = Operator<PowTensorTensorNotation>;
struct PowTensorScalarNotation {
  static constexpr std::string_view text = "pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor";
};
using PowTensorScalar = Operator<PowTensorScalarNotation>;
struct PowScalarNotation {
  static constexpr std::string_view text = "pow.Scalar(Scalar self, Tensor exponent) -> Tensor";
};
using PowScalar = Operator<PowScalarNotation>;
struct PowTensorInPlaceNotation {
  static constexpr std::string_view text = "pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)";
};
using PowTensorInPlace = Operator<PowTensorInPlaceNotation>;
struct PowScalarInPlaceNotation {
  static constexpr std::string_view text = "pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)";
};
using PowScalarInPlace = Operator<PowScalarInPlaceNotation>;
/// self to a power. @throws Error for a whole tensor to a whole number below zero.
inline constexpr Overloads<PowTensorTensor, PowTensorScalar, PowScalar> pow;
inline constexpr Overloads<PowTensorInPlace, PowScalarInPlace> pow_;
inline constexpr Overloads<Out<PowTensorTensor, "Tensor_Tensor_out">, Out<PowTensorScalar, "Tensor_Scalar_out">,
                           Out<PowScalar, "Scalar_out">>
    pow_out;

struct MaximumNotation {
  static constexpr std::string_view text = "maximum(Tensor self, Tensor other) -> Tensor";
};
using Maximum = Operator<MaximumNotation>;
struct MinimumNotation {
  static constexpr std::string_view text = "minimum(Tensor self, Tensor other) -> Tensor";
};
using Minimum = Operator<MinimumNotation>;
/// The greater of both, NaN where one is; not of complex numbers
inline constexpr Maximum maximum;
inline constexpr Out<Maximum, "out"> maximum_out;
/// The smaller of both, likewise.
inline constexpr Minimum minimum;
inline constexpr Out<Minimum, "out"> minimum_out;

struct ClampScalarNotation {
  static constexpr std::string_view text = "clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor";
};
using ClampScalar = Operator<ClampScalarNotation>;
struct ClampTensorNotation {
  static constexpr std::string_view text = "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor";
};
using ClampTensor = Operator<ClampTensorNotation>;
/// self, not below min, and then not above max; NaN stays. One of both must be given.
inline constexpr Overloads<ClampScalar, ClampTensor> clamp;
inline constexpr Overloads<InPlace<ClampScalar>, InPlace<ClampTensor>> clamp_;
inline constexpr Overloads<Out<ClampScalar, "out">, Out<ClampTensor, "Tensor_out">> clamp_out;
struct ClampMinNotation {
  static constexpr std::string_view text = "clamp_min(Tensor self, Scalar min) -> Tensor";
};
using ClampMin = Operator<ClampMinNotation>;
struct ClampMinTensorNotation {
  static constexpr std::string_view text = "clamp_min.Tensor(Tensor self, Tensor min) -> Tensor";
};
using ClampMinTensor = Operator<ClampMinTensorNotation>;
inline constexpr Overloads<ClampMin, ClampMinTensor> clamp_min;
inline constexpr Overloads<InPlace<ClampMin>, InPlace<ClampMinTensor>> clamp_min_;
inline constexpr Overloads<Out<ClampMin, "out">, Out<ClampMinTensor, "Tensor_out">> clamp_min_out;
struct ClampMaxNotation {
  static constexpr std::string_view text = "clamp_max(Tensor self, Scalar max) -> Tensor";
};
using ClampMax = Operator<ClampMaxNotation>;
struct ClampMaxTensorNotation {
  static constexpr std::string_view text = "clamp_max.Tensor(Tensor self, Tensor max) -> Tensor";
};
using ClampMaxTensor = Operator<ClampMaxTensorNotation>;
inline constexpr Overloads<ClampMax, ClampMaxTensor> clamp_max;
inline constexpr Overloads<InPlace<ClampMax>, InPlace<ClampMaxTensor>> clamp_max_;
inline constexpr Overloads<Out<ClampMax, "out">, Out<ClampMaxTensor, "Tensor_out">> clamp_max_out;

struct LerpScalarNotation {
  static constexpr std::string_view text = "lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor";
};
using LerpScalar = Operator<LerpScalarNotation>;
struct LerpTensorNotation {
  static constexpr std::string_view text = "lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor";
};
using LerpTensor = Operator<LerpTensorNotation>;
/// self + weight (end - self). @throws Error where types differ.
inline constexpr Overloads<LerpScalar, LerpTensor> lerp;
inline constexpr Overloads<InPlace<LerpScalar>, InPlace<LerpTensor>> lerp_;
inline constexpr Overloads<Out<LerpScalar, "Scalar_out">, Out<LerpTensor, "Tensor_out">> lerp_out;

struct AddcmulNotation {
  static constexpr std::string_view text =
      "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor";
};
using Addcmul = Operator<AddcmulNotation>;
struct AddcdivNotation {
  static constexpr std::string_view text =
      "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor";
};
using Addcdiv = Operator<AddcdivNotation>;
/// self + value tensor1 tensor2
inline constexpr Addcmul addcmul;
inline constexpr InPlace<Addcmul> addcmul_;
inline constexpr Out<Addcmul, "out"> addcmul_out;
/// self + value tensor1 / tensor2; not of whole numbers alone
inline constexpr Addcdiv addcdiv;
inline constexpr InPlace<Addcdiv> addcdiv_;
inline constexpr Out<Addcdiv, "out"> addcdiv_out;

}  // namespace gpucheck::tensor
