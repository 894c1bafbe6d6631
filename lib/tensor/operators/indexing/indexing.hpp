#pragma once

#include "tensor/call/operator.hpp"

/// Elements at places that an index says. An index outside is an error on the host and a device-side assert on a
/// device.
namespace gpucheck::tensor {

using Gather = Operator<"gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor">;
/// result[i][j] = self[index[i][j]][j] along dimension 0, and so on. @throws Error for shapes that do not fit.
inline constexpr Gather gather;
inline constexpr Out<Gather, "out"> gather_out;

using BinCount = Operator<"bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor">;
/// How often each number occurs, or the sum of its weights: of float32 ones float32, of others float64, added on a
/// device in no order. The caller waits for the largest number. @throws Error for numbers below 0.
inline constexpr BinCount bincount;

}  // namespace gpucheck::tensor
