#pragma once

#include "tensor/call/operator.hpp"

/// Activations of neural networks, element by element, in the argument's type. @throws Error, as Loop does;
/// NotImplementedError for types that they do not take. (sigmoid and tanh are among the functions.)
namespace gpucheck::tensor {

struct ReluNotation {
  static constexpr std::string_view text = "relu(Tensor self) -> Tensor";
};
using Relu = Operator<ReluNotation>;
/// The number, or 0 where it is below.
inline constexpr Relu relu;
inline constexpr InPlace<Relu> relu_;

struct GeluNotation {
  static constexpr std::string_view text = "gelu(Tensor self, *, str approximate='none') -> Tensor";
};
using Gelu = Operator<GeluNotation>;
/// self times the share of a normal distribution below self; "tanh" takes a formula that comes near it.
inline constexpr Gelu gelu;
inline constexpr InPlace<Gelu> gelu_;
inline constexpr Out<Gelu, "out"> gelu_out;

struct SiluNotation {
  static constexpr std::string_view text = "silu(Tensor self) -> Tensor";
};
using Silu = Operator<SiluNotation>;
/// self sigmoid(self)
inline constexpr Silu silu;
inline constexpr InPlace<Silu> silu_;
inline constexpr Out<Silu, "out"> silu_out;

struct SoftplusNotation {
  static constexpr std::string_view text = "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor";
};
using Softplus = Operator<SoftplusNotation>;
/// log(1 + exp(beta self)) / beta; self where beta self is above the threshold.
inline constexpr Softplus softplus;
inline constexpr Out<Softplus, "out"> softplus_out;

struct LeakyReluNotation {
  static constexpr std::string_view text = "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor";
};
using LeakyRelu = Operator<LeakyReluNotation>;
inline constexpr LeakyRelu leaky_relu;
inline constexpr InPlace<LeakyRelu> leaky_relu_;
inline constexpr Out<LeakyRelu, "out"> leaky_relu_out;

struct ThresholdNotation {
  static constexpr std::string_view text = "threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor";
};
using Threshold = Operator<ThresholdNotation>;
/// self where it is above the threshold, else the value.
inline constexpr Threshold threshold;
inline constexpr InPlace<Threshold> threshold_;
inline constexpr Out<Threshold, "out"> threshold_out;

struct PreluKernelNotation {
  static constexpr std::string_view text = "_prelu_kernel(Tensor self, Tensor weight) -> Tensor";
};
using PreluKernel = Operator<PreluKernelNotation>;
struct PreluNotation {
  static constexpr std::string_view text = "prelu(Tensor self, Tensor weight) -> Tensor";
};
using Prelu = Operator<PreluNotation>;
/// self where it is above zero, else self times the weight of its channel, the second dimension, or the only weight.
inline constexpr Prelu prelu;

}  // namespace gpucheck::tensor
