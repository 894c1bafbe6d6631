#pragma once

#include "tensor/call/operator.hpp"

/// Activations of neural networks, element by element, in the argument's type. @throws Error, as Loop does;
/// NotImplementedError for types that they do not take. (sigmoid and tanh are among the functions.)
namespace gpucheck::tensor {

using Relu = Operator<"relu(Tensor self) -> Tensor">;
/// The number, or 0 where it is below.
inline constexpr Relu relu;
inline constexpr InPlace<Relu> relu_;

using Gelu = Operator<"gelu(Tensor self, *, str approximate='none') -> Tensor">;
/// self times the share of a normal distribution below self; "tanh" takes a formula that comes near it.
inline constexpr Gelu gelu;
inline constexpr InPlace<Gelu> gelu_;
inline constexpr Out<Gelu, "out"> gelu_out;

using Silu = Operator<"silu(Tensor self) -> Tensor">;
/// self sigmoid(self)
inline constexpr Silu silu;
inline constexpr InPlace<Silu> silu_;
inline constexpr Out<Silu, "out"> silu_out;

using Softplus = Operator<"softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor">;
/// log(1 + exp(beta self)) / beta; self where beta self is above the threshold.
inline constexpr Softplus softplus;
inline constexpr Out<Softplus, "out"> softplus_out;

using LeakyRelu = Operator<"leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor">;
inline constexpr LeakyRelu leaky_relu;
inline constexpr InPlace<LeakyRelu> leaky_relu_;
inline constexpr Out<LeakyRelu, "out"> leaky_relu_out;

using Threshold = Operator<"threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor">;
/// self where it is above the threshold, else the value.
inline constexpr Threshold threshold;
inline constexpr InPlace<Threshold> threshold_;
inline constexpr Out<Threshold, "out"> threshold_out;

using PreluKernel = Operator<"_prelu_kernel(Tensor self, Tensor weight) -> Tensor">;
using Prelu = Operator<"prelu(Tensor self, Tensor weight) -> Tensor">;
/// self where it is above zero, else self times the weight of its channel, the second dimension, or the only weight.
inline constexpr Prelu prelu;

}  // namespace gpucheck::tensor
