#pragma once

#include "tensor/call/operator.hpp"

/// Functions of one number, element by element. Whole numbers and booleans become float32, but for those that round;
/// 16-bit numbers are computed as float. Complex numbers are taken by exp, log and sigmoid. What ends in "_" works in
/// place, what ends in "_out" in its last argument. @throws Error, as Loop does; NotImplementedError for other types.
namespace gpucheck::tensor {

using Exp = Operator<"exp(Tensor self) -> Tensor">;
inline constexpr Exp exp;
inline constexpr InPlace<Exp> exp_;
inline constexpr Out<Exp, "out"> exp_out;

using Expm1 = Operator<"expm1(Tensor self) -> Tensor">;
/// exp(self) - 1, exact near zero.
inline constexpr Expm1 expm1;
inline constexpr InPlace<Expm1> expm1_;
inline constexpr Out<Expm1, "out"> expm1_out;

using Exp2 = Operator<"exp2(Tensor self) -> Tensor">;
/// 2 to the power of self
inline constexpr Exp2 exp2;
inline constexpr InPlace<Exp2> exp2_;
inline constexpr Out<Exp2, "out"> exp2_out;

using Log = Operator<"log(Tensor self) -> Tensor">;
inline constexpr Log log;
inline constexpr InPlace<Log> log_;
inline constexpr Out<Log, "out"> log_out;

using Log2 = Operator<"log2(Tensor self) -> Tensor">;
inline constexpr Log2 log2;
inline constexpr InPlace<Log2> log2_;
inline constexpr Out<Log2, "out"> log2_out;

using Log10 = Operator<"log10(Tensor self) -> Tensor">;
inline constexpr Log10 log10;
inline constexpr InPlace<Log10> log10_;
inline constexpr Out<Log10, "out"> log10_out;

using Log1p = Operator<"log1p(Tensor self) -> Tensor">;
/// log(1 + self), exact near zero.
inline constexpr Log1p log1p;
inline constexpr InPlace<Log1p> log1p_;
inline constexpr Out<Log1p, "out"> log1p_out;

using Sin = Operator<"sin(Tensor self) -> Tensor">;
inline constexpr Sin sin;
inline constexpr InPlace<Sin> sin_;
inline constexpr Out<Sin, "out"> sin_out;

using Cos = Operator<"cos(Tensor self) -> Tensor">;
inline constexpr Cos cos;
inline constexpr InPlace<Cos> cos_;
inline constexpr Out<Cos, "out"> cos_out;

using Tan = Operator<"tan(Tensor self) -> Tensor">;
inline constexpr Tan tan;
inline constexpr InPlace<Tan> tan_;
inline constexpr Out<Tan, "out"> tan_out;

using Asin = Operator<"asin(Tensor self) -> Tensor">;
inline constexpr Asin asin;
inline constexpr InPlace<Asin> asin_;
inline constexpr Out<Asin, "out"> asin_out;

using Acos = Operator<"acos(Tensor self) -> Tensor">;
inline constexpr Acos acos;
inline constexpr InPlace<Acos> acos_;
inline constexpr Out<Acos, "out"> acos_out;

using Atan = Operator<"atan(Tensor self) -> Tensor">;
inline constexpr Atan atan;
inline constexpr InPlace<Atan> atan_;
inline constexpr Out<Atan, "out"> atan_out;

using Sinh = Operator<"sinh(Tensor self) -> Tensor">;
inline constexpr Sinh sinh;
inline constexpr InPlace<Sinh> sinh_;
inline constexpr Out<Sinh, "out"> sinh_out;

using Cosh = Operator<"cosh(Tensor self) -> Tensor">;
inline constexpr Cosh cosh;
inline constexpr InPlace<Cosh> cosh_;
inline constexpr Out<Cosh, "out"> cosh_out;

using Tanh = Operator<"tanh(Tensor self) -> Tensor">;
inline constexpr Tanh tanh;
inline constexpr InPlace<Tanh> tanh_;
inline constexpr Out<Tanh, "out"> tanh_out;

using Erf = Operator<"erf(Tensor self) -> Tensor">;
inline constexpr Erf erf;
inline constexpr InPlace<Erf> erf_;
inline constexpr Out<Erf, "out"> erf_out;

using Erfinv = Operator<"erfinv(Tensor self) -> Tensor">;
/// The number whose error function is self: NaN beyond [-1, 1].
inline constexpr Erfinv erfinv;
inline constexpr InPlace<Erfinv> erfinv_;
inline constexpr Out<Erfinv, "out"> erfinv_out;

using Sigmoid = Operator<"sigmoid(Tensor self) -> Tensor">;
/// 1 / (1 + exp(-self))
inline constexpr Sigmoid sigmoid;
inline constexpr InPlace<Sigmoid> sigmoid_;
inline constexpr Out<Sigmoid, "out"> sigmoid_out;

using Atan2 = Operator<"atan2(Tensor self, Tensor other) -> Tensor">;
/// The angle of the point (other, self).
inline constexpr Atan2 atan2;
inline constexpr InPlace<Atan2> atan2_;
inline constexpr Out<Atan2, "out"> atan2_out;

using Floor = Operator<"floor(Tensor self) -> Tensor">;
/// Whole numbers stay what they are, here and in the next three; booleans are refused.
inline constexpr Floor floor;
inline constexpr InPlace<Floor> floor_;
inline constexpr Out<Floor, "out"> floor_out;

using Ceil = Operator<"ceil(Tensor self) -> Tensor">;
inline constexpr Ceil ceil;
inline constexpr InPlace<Ceil> ceil_;
inline constexpr Out<Ceil, "out"> ceil_out;

using Round = Operator<"round(Tensor self) -> Tensor">;
/// To the nearest whole number, of two to the even one.
inline constexpr Round round;
inline constexpr InPlace<Round> round_;
inline constexpr Out<Round, "out"> round_out;

using Trunc = Operator<"trunc(Tensor self) -> Tensor">;
/// Towards zero.
inline constexpr Trunc trunc;
inline constexpr InPlace<Trunc> trunc_;
inline constexpr Out<Trunc, "out"> trunc_out;

}  // namespace gpucheck::tensor
