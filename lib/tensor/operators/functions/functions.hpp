#pragma once

#include "tensor/call/operator.hpp"

/// Functions of one number, element by element. Whole numbers and booleans become float32, but for those that round;
/// 16-bit numbers are computed as float. Complex numbers are taken by exp, log and sigmoid. What ends in "_" works in
/// place, what ends in "_out" in its last argument. @throws Error, as Loop does; NotImplementedError for other types.
namespace gpucheck::tensor {

struct ExpNotation {
  static constexpr std::string_view text = "exp(Tensor self) -> Tensor";
};
using Exp = Operator<ExpNotation>;
inline constexpr Exp exp;
inline constexpr InPlace<Exp> exp_;
inline constexpr Out<Exp, "out"> exp_out;

struct Expm1Notation {
  static constexpr std::string_view text = "expm1(Tensor self) -> Tensor";
};
using Expm1 = Operator<Expm1Notation>;
/// exp(self) - 1, exact near zero.
inline constexpr Expm1 expm1;
inline constexpr InPlace<Expm1> expm1_;
inline constexpr Out<Expm1, "out"> expm1_out;

struct Exp2Notation {
  static constexpr std::string_view text = "exp2(Tensor self) -> Tensor";
};
using Exp2 = Operator<Exp2Notation>;
/// 2 to the power of self
inline constexpr Exp2 exp2;
inline constexpr InPlace<Exp2> exp2_;
inline constexpr Out<Exp2, "out"> exp2_out;

struct LogNotation {
  static constexpr std::string_view text = "log(Tensor self) -> Tensor";
};
using Log = Operator<LogNotation>;
inline constexpr Log log;
inline constexpr InPlace<Log> log_;
inline constexpr Out<Log, "out"> log_out;

struct Log2Notation {
  static constexpr std::string_view text = "log2(Tensor self) -> Tensor";
};
using Log2 = Operator<Log2Notation>;
inline constexpr Log2 log2;
inline constexpr InPlace<Log2> log2_;
inline constexpr Out<Log2, "out"> log2_out;

struct Log10Notation {
  static constexpr std::string_view text = "log10(Tensor self) -> Tensor";
};
using Log10 = Operator<Log10Notation>;
inline constexpr Log10 log10;
inline constexpr InPlace<Log10> log10_;
inline constexpr Out<Log10, "out"> log10_out;

struct Log1pNotation {
  static constexpr std::string_view text = "log1p(Tensor self) -> Tensor";
};
using Log1p = Operator<Log1pNotation>;
/// log(1 + self), exact near zero.
inline constexpr Log1p log1p;
inline constexpr InPlace<Log1p> log1p_;
inline constexpr Out<Log1p, "out"> log1p_out;

struct SinNotation {
  static constexpr std::string_view text = "sin(Tensor self) -> Tensor";
};
using Sin = Operator<SinNotation>;
inline constexpr Sin sin;
inline constexpr InPlace<Sin> sin_;
inline constexpr Out<Sin, "out"> sin_out;

struct CosNotation {
  static constexpr std::string_view text = "cos(Tensor self) -> Tensor";
};
using Cos = Operator<CosNotation>;
inline constexpr Cos cos;
inline constexpr InPlace<Cos> cos_;
inline constexpr Out<Cos, "out"> cos_out;

struct TanNotation {
  static constexpr std::string_view text = "tan(Tensor self) -> Tensor";
};
using Tan = Operator<TanNotation>;
inline constexpr Tan tan;
inline constexpr InPlace<Tan> tan_;
inline constexpr Out<Tan, "out"> tan_out;

struct AsinNotation {
  static constexpr std::string_view text = "asin(Tensor self) -> Tensor";
};
using Asin = Operator<AsinNotation>;
inline constexpr Asin asin;
inline constexpr InPlace<Asin> asin_;
inline constexpr Out<Asin, "out"> asin_out;

struct AcosNotation {
  static constexpr std::string_view text = "acos(Tensor self) -> Tensor";
};
using Acos = Operator<AcosNotation>;
inline constexpr Acos acos;
inline constexpr InPlace<Acos> acos_;
inline constexpr Out<Acos, "out"> acos_out;

struct AtanNotation {
  static constexpr std::string_view text = "atan(Tensor self) -> Tensor";
};
using Atan = Operator<AtanNotation>;
inline constexpr Atan atan;
inline constexpr InPlace<Atan> atan_;
inline constexpr Out<Atan, "out"> atan_out;

struct SinhNotation {
  static constexpr std::string_view text = "sinh(Tensor self) -> Tensor";
};
using Sinh = Operator<SinhNotation>;
inline constexpr Sinh sinh;
inline constexpr InPlace<Sinh> sinh_;
inline constexpr Out<Sinh, "out"> sinh_out;

struct CoshNotation {
  static constexpr std::string_view text = "cosh(Tensor self) -> Tensor";
};
using Cosh = Operator<CoshNotation>;
inline constexpr Cosh cosh;
inline constexpr InPlace<Cosh> cosh_;
inline constexpr Out<Cosh, "out"> cosh_out;

struct TanhNotation {
  static constexpr std::string_view text = "tanh(Tensor self) -> Tensor";
};
using Tanh = Operator<TanhNotation>;
inline constexpr Tanh tanh;
inline constexpr InPlace<Tanh> tanh_;
inline constexpr Out<Tanh, "out"> tanh_out;

struct ErfNotation {
  static constexpr std::string_view text = "erf(Tensor self) -> Tensor";
};
using Erf = Operator<ErfNotation>;
inline constexpr Erf erf;
inline constexpr InPlace<Erf> erf_;
inline constexpr Out<Erf, "out"> erf_out;

struct ErfinvNotation {
  static constexpr std::string_view text = "erfinv(Tensor self) -> Tensor";
};
using Erfinv = Operator<ErfinvNotation>;
/// The number whose error function is self: NaN beyond [-1, 1].
inline constexpr Erfinv erfinv;
inline constexpr InPlace<Erfinv> erfinv_;
inline constexpr Out<Erfinv, "out"> erfinv_out;

struct SigmoidNotation {
  static constexpr std::string_view text = "sigmoid(Tensor self) -> Tensor";
};
using Sigmoid = Operator<SigmoidNotation>;
/// 1 / (1 + exp(-self))
inline constexpr Sigmoid sigmoid;
inline constexpr InPlace<Sigmoid> sigmoid_;
inline constexpr Out<Sigmoid, "out"> sigmoid_out;

struct Atan2Notation {
  static constexpr std::string_view text = "atan2(Tensor self, Tensor other) -> Tensor";
};
using Atan2 = Operator<Atan2Notation>;
/// The angle of the point (other, self).
inline constexpr Atan2 atan2;
inline constexpr InPlace<Atan2> atan2_;
inline constexpr Out<Atan2, "out"> atan2_out;

struct FloorNotation {
  static constexpr std::string_view text = "floor(Tensor self) -> Tensor";
};
using Floor = Operator<FloorNotation>;
/// Whole numbers stay what they are, here and in the next three; booleans are refused.
inline constexpr Floor floor;
inline constexpr InPlace<Floor> floor_;
inline constexpr Out<Floor, "out"> floor_out;

struct CeilNotation {
  static constexpr std::string_view text = "ceil(Tensor self) -> Tensor";
};
using Ceil = Operator<CeilNotation>;
inline constexpr Ceil ceil;
inline constexpr InPlace<Ceil> ceil_;
inline constexpr Out<Ceil, "out"> ceil_out;

struct RoundNotation {
  static constexpr std::string_view text = "round(Tensor self) -> Tensor";
};
using Round = Operator<RoundNotation>;
/// To the nearest whole number, of two to the even one.
inline constexpr Round round;
inline constexpr InPlace<Round> round_;
inline constexpr Out<Round, "out"> round_out;

struct TruncNotation {
  static constexpr std::string_view text = "trunc(Tensor self) -> Tensor";
};
using Trunc = Operator<TruncNotation>;
/// Towards zero.
inline constexpr Trunc trunc;
inline constexpr InPlace<Trunc> trunc_;
inline constexpr Out<Trunc, "out"> trunc_out;

}  // namespace gpucheck::tensor
