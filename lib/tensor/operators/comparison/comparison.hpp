#pragma once

#include "tensor/call/operator.hpp"

/// Comparisons, element by element: types are promoted, shapes broadcast, the result is boolean. A number of the host
/// is compared as one of the tensor's type. What ends in "_" stores 1 and 0 in place of its first argument, what ends
/// in
/// "_out" in its last, of any type. @throws Error, as Loop does.
namespace gpucheck::tensor {

using EqTensor = Operator<"eq.Tensor(Tensor self, Tensor other) -> Tensor">;
using EqScalar = Operator<"eq.Scalar(Tensor self, Scalar other) -> Tensor">;
/// self = other
inline constexpr Overloads<EqTensor, EqScalar> eq;
inline constexpr Overloads<InPlace<EqTensor>, InPlace<EqScalar>> eq_;
inline constexpr Overloads<Out<EqTensor, "Tensor_out">, Out<EqScalar, "Scalar_out">> eq_out;

using NeTensor = Operator<"ne.Tensor(Tensor self, Tensor other) -> Tensor">;
using NeScalar = Operator<"ne.Scalar(Tensor self, Scalar other) -> Tensor">;
/// Not self = other: NaN is unequal to all.
inline constexpr Overloads<NeTensor, NeScalar> ne;
inline constexpr Overloads<InPlace<NeTensor>, InPlace<NeScalar>> ne_;
inline constexpr Overloads<Out<NeTensor, "Tensor_out">, Out<NeScalar, "Scalar_out">> ne_out;

using LtTensor = Operator<"lt.Tensor(Tensor self, Tensor other) -> Tensor">;
using LtScalar = Operator<"lt.Scalar(Tensor self, Scalar other) -> Tensor">;
/// self < other. @throws NotImplementedError for complex numbers, as do the next three.
inline constexpr Overloads<LtTensor, LtScalar> lt;
inline constexpr Overloads<InPlace<LtTensor>, InPlace<LtScalar>> lt_;
inline constexpr Overloads<Out<LtTensor, "Tensor_out">, Out<LtScalar, "Scalar_out">> lt_out;

using LeTensor = Operator<"le.Tensor(Tensor self, Tensor other) -> Tensor">;
using LeScalar = Operator<"le.Scalar(Tensor self, Scalar other) -> Tensor">;
/// self <= other
inline constexpr Overloads<LeTensor, LeScalar> le;
inline constexpr Overloads<InPlace<LeTensor>, InPlace<LeScalar>> le_;
inline constexpr Overloads<Out<LeTensor, "Tensor_out">, Out<LeScalar, "Scalar_out">> le_out;

using GtTensor = Operator<"gt.Tensor(Tensor self, Tensor other) -> Tensor">;
using GtScalar = Operator<"gt.Scalar(Tensor self, Scalar other) -> Tensor">;
/// self > other
inline constexpr Overloads<GtTensor, GtScalar> gt;
inline constexpr Overloads<InPlace<GtTensor>, InPlace<GtScalar>> gt_;
inline constexpr Overloads<Out<GtTensor, "Tensor_out">, Out<GtScalar, "Scalar_out">> gt_out;

using GeTensor = Operator<"ge.Tensor(Tensor self, Tensor other) -> Tensor">;
using GeScalar = Operator<"ge.Scalar(Tensor self, Scalar other) -> Tensor">;
/// self >= other
inline constexpr Overloads<GeTensor, GeScalar> ge;
inline constexpr Overloads<InPlace<GeTensor>, InPlace<GeScalar>> ge_;
inline constexpr Overloads<Out<GeTensor, "Tensor_out">, Out<GeScalar, "Scalar_out">> ge_out;

using LogicalAnd = Operator<"logical_and(Tensor self, Tensor other) -> Tensor">;
/// Neither is zero; NaN is not zero here, as in the next three.
inline constexpr LogicalAnd logical_and;
inline constexpr InPlace<LogicalAnd> logical_and_;
inline constexpr Out<LogicalAnd, "out"> logical_and_out;

using LogicalOr = Operator<"logical_or(Tensor self, Tensor other) -> Tensor">;
/// Not both are zero.
inline constexpr LogicalOr logical_or;
inline constexpr InPlace<LogicalOr> logical_or_;
inline constexpr Out<LogicalOr, "out"> logical_or_out;

using LogicalXor = Operator<"logical_xor(Tensor self, Tensor other) -> Tensor">;
/// Exactly one is not zero.
inline constexpr LogicalXor logical_xor;
inline constexpr InPlace<LogicalXor> logical_xor_;
inline constexpr Out<LogicalXor, "out"> logical_xor_out;

using LogicalNot = Operator<"logical_not(Tensor self) -> Tensor">;
/// self = 0
inline constexpr LogicalNot logical_not;
inline constexpr InPlace<LogicalNot> logical_not_;
inline constexpr Out<LogicalNot, "out"> logical_not_out;

using IsNan = Operator<"isnan(Tensor self) -> Tensor">;
using IsInf = Operator<"isinf(Tensor self) -> Tensor">;
using IsFinite = Operator<"isfinite(Tensor self) -> Tensor">;
/// A complex number is NaN or infinite where either part is, and finite where both are.
inline constexpr IsNan isnan;
inline constexpr IsInf isinf;
inline constexpr IsFinite isfinite;

using Equal = Operator<"equal(Tensor self, Tensor other) -> bool">;
/// Whether both have the same sizes and equal elements, once the current stream has them. @throws Error for different
/// types on the host.
inline constexpr Equal equal;

}  // namespace gpucheck::tensor
