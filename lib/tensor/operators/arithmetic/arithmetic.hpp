#pragma once

#include "tensor/call/operator.hpp"

/// Arithmetic, element by element: types are promoted, shapes broadcast. @throws Error, as Loop does.
namespace gpucheck::tensor {

using AddTensor = Operator<"add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor">;
using AddScalar = Operator<"add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor">;
/// self + alpha other
inline constexpr Overloads<AddTensor, AddScalar> add;
/// The same, in place of self.
inline constexpr Overloads<InPlace<AddTensor>, InPlace<AddScalar>> add_;
/// The same, in the last argument.
inline constexpr Out<AddTensor, "out"> add_out;

}  // namespace gpucheck::tensor
