#pragma once

#include "tensor/call/operator.hpp"

namespace gpucheck::tensor {

struct WhereSelfNotation {
  static constexpr std::string_view text = "where.self(Tensor condition, Tensor self, Tensor other) -> Tensor";
};
using WhereSelf = Operator<WhereSelfNotation>;
/// self where the condition holds, else other: shapes are broadcast, types promoted. @throws Error for a condition that
/// is not of booleans or bytes, and as Loop does.
inline constexpr WhereSelf where;
inline constexpr Out<WhereSelf, "self_out"> where_out;

}  // namespace gpucheck::tensor
