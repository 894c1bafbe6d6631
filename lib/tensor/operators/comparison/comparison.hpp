#pragma once

#include "tensor/call/operator.hpp"

/// Comparisons, element by element: types are promoted, shapes broadcast, the result is boolean. A number of the host
/// is compared as one of the tensor's type. What ends in "_" stores 1 and 0 in place of its first argument, what ends
/// in
/// "_out" in its last, of any type. @throws Error, as Loop does.
namespace gpucheck::tensor {

struct EqTensorNotation {
  static constexpr std::string_view text = "eq.Tensor(Tensor self, Tensor other) -> Tensor";
};
using EqTensor = Operator<EqTensorNotation>;
struct EqScalarNotation {
  static constexpr std::string_view text = "eq.Scalar(Tensor self, Scalar other) -> Tensor";
};
using EqScalar = Operator<EqScalarNotation>;
/// self = other
inline constexpr Overloads<EqTensor, EqScalar> eq;
inline constexpr Overloads<InPlace<EqTensor>, InPlace<EqScalar>> eq_;
inline constexpr Overloads<Out<EqTensor, "Tensor_out">, Out<EqScalar, "Scalar_out">> eq_out;

struct NeTensorNotation {
  static constexpr std::string_view text = "ne.Tensor(Tensor self, Tensor other) -> Tensor";
};
using NeTensor = Operator<NeTensorNotation>;
struct NeScalarNotation {
  static constexpr std::string_view text = "ne.Scalar(Tensor self, Scalar other) -> Tensor";
};
using NeScalar = Operator<NeScalarNotation>;
/// Not self = other: NaN is unequal to all.
inline constexpr Overloads<NeTensor, NeScalar> ne;
inline constexpr Overloads<InPlace<NeTensor>, InPlace<NeScalar>> ne_;
inline constexpr Overloads<Out<NeTensor, "Tensor_out">, Out<NeScalar, "Scalar_out">> ne_out;

struct LtTensorNotation {
  static constexpr std::string_view text = "lt.Tensor(Tensor self, Tensor other) -> Tensor";
};
using LtTensor = Operator<LtTensorNotation>;
struct LtScalarNotation {
  static constexpr std::string_view text = "lt.Scalar(Tensor self, Scalar other) -> Tensor";
};
using LtScalar = Operator<LtScalarNotation>;
/// self < other. @throws NotImplementedError for complex numbers, as do the next three.
inline constexpr Overloads<LtTensor, LtScalar> lt;
inline constexpr Overloads<InPlace<LtTensor>, InPlace<LtScalar>> lt_;
inline constexpr Overloads<Out<LtTensor, "Tensor_out">, Out<LtScalar, "Scalar_out">> lt_out;

struct LeTensorNotation {
  static constexpr std::string_view text = "le.Tensor(Tensor self, Tensor other) -> Tensor";
};
using LeTensor = Operator<LeTensorNotation>;
struct LeScalarNotation {
  static constexpr std::string_view text = "le.Scalar(Tensor self, Scalar other) -> Tensor";
};
using LeScalar = Operator<LeScalarNotation>;
/// self <= other
inline constexpr Overloads<LeTensor, LeScalar> le;
inline constexpr Overloads<InPlace<LeTensor>, InPlace<LeScalar>> le_;
inline constexpr Overloads<Out<LeTensor, "Tensor_out">, Out<LeScalar, "Scalar_out">> le_out;

struct GtTensorNotation {
  static constexpr std::string_view text = "gt.Tensor(Tensor self, Tensor other) -> Tensor";
};
using GtTensor = Operator<GtTensorNotation>;
struct GtScalarNotation {
  static constexpr std::string_view text = "gt.Scalar(Tensor self, Scalar other) -> Tensor";
};
using GtScalar = Operator<GtScalarNotation>;
/// self > other
inline constexpr Overloads<GtTensor, GtScalar> gt;
inline constexpr Overloads<InPlace<GtTensor>, InPlace<GtScalar>> gt_;
inline constexpr Overloads<Out<GtTensor, "Tensor_out">, Out<GtScalar, "Scalar_out">> gt_out;

struct GeTensorNotation {
  static constexpr std::string_view text = "ge.Tensor(Tensor self, Tensor other) -> Tensor";
};
using GeTensor = Operator<GeTensorNotation>;
struct GeScalarNotation {
  static constexpr std::string_view text = "ge.Scalar(Tensor self, Scalar other) -> Tensor";
};
using GeScalar = Operator<GeScalarNotation>;
/// self >= other
inline constexpr Overloads<GeTensor, GeScalar> ge;
inline constexpr Overloads<InPlace<GeTensor>, InPlace<GeScalar>> ge_;
inline constexpr Overloads<Out<GeTensor, "Tensor_out">, Out<GeScalar, "Scalar_out">> ge_out;

struct LogicalAndNotation {
  static constexpr std::string_view text = "logical_and(Tensor self, Tensor other) -> Tensor";
};
using LogicalAnd = Operator<LogicalAndNotation>;
/// Neither is zero; NaN is not zero here, as in the next three.
inline constexpr LogicalAnd logical_and;
inline constexpr InPlace<LogicalAnd> logical_and_;
inline constexpr Out<LogicalAnd, "out"> logical_and_out;

struct LogicalOrNotation {
  static constexpr std::string_view text = "logical_or(Tensor self, Tensor other) -> Tensor";
};
using LogicalOr = Operator<LogicalOrNotation>;
/// Not both are zero.
inline constexpr LogicalOr logical_or;
inline constexpr InPlace<LogicalOr> logical_or_;
inline constexpr Out<LogicalOr, "out"> logical_or_out;

struct LogicalXorNotation {
  static constexpr std::string_view text = "logical_xor(Tensor self, Tensor other) -> Tensor";
};
using LogicalXor = Operator<LogicalXorNotation>;
/// Exactly one is not zero.
inline constexpr LogicalXor logical_xor;
inline constexpr InPlace<LogicalXor> logical_xor_;
inline constexpr Out<LogicalXor, "out"> logical_xor_out;

struct LogicalNotNotation {
  static constexpr std::string_view text = "logical_not(Tensor self) -> Tensor";
};
using LogicalNot = Operator<LogicalNotNotation>;
/// self = 0
inline constexpr LogicalNot logical_not;
inline constexpr InPlace<LogicalNot> logical_not_;
inline constexpr Out<LogicalNot, "out"> logical_not_out;

struct IsNanNotation {
  static constexpr std::string_view text = "isnan(Tensor self) -> Tensor";
};
using IsNan = Operator<IsNanNotation>;
struct IsInfNotation {
  static constexpr std::string_view text = "isinf(Tensor self) -> Tensor";
};
using IsInf = Operator<IsInfNotation>;
struct IsFiniteNotation {
  static constexpr std::string_view text = "isfinite(Tensor self) -> Tensor";
};
using IsFinite = Operator<IsFiniteNotation>;
/// A complex number is NaN or infinite where either part is, and finite where both are.
inline constexpr IsNan isnan;
inline constexpr IsInf isinf;
inline constexpr IsFinite isfinite;

struct EqualNotation {
  static constexpr std::string_view text = "equal(Tensor self, Tensor other) -> bool";
};
using Equal = Operator<EqualNotation>;
/// Whether both have the same sizes and equal elements, once the current stream has them. @throws Error for different
/// types on the host.
inline constexpr Equal equal;

}  // namespace gpucheck::tensor
