#pragma once

#include "tensor/call/operator.hpp"

/// Reductions over dimensions. 16-bit floating types are computed in float32. @throws Error, as Reduction does.
namespace gpucheck::tensor {

using SumDefault = Operator<"sum(Tensor self, *, ScalarType? dtype=None) -> Tensor">;
using SumDimensions =
    Operator<"sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor">;
/// Of whole numbers and booleans int64, unless another type is asked for.
inline constexpr Overloads<SumDefault, SumDimensions> sum;
inline constexpr Out<SumDimensions, "IntList_out"> sum_out;

}  // namespace gpucheck::tensor
