#pragma once

#include "tensor/call/operator.hpp"

namespace gpucheck::tensor {

using WhereSelf = Operator<"where.self(Tensor condition, Tensor self, Tensor other) -> Tensor">;
/// self where the condition holds, else other: shapes are broadcast, types promoted. @throws Error for a condition that
/// is not of booleans or bytes, and as Loop does.
inline constexpr WhereSelf where;
inline constexpr Out<WhereSelf, "self_out"> where_out;

}  // namespace gpucheck::tensor
