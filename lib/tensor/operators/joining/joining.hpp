#pragma once

#include "tensor/call/operator.hpp"

/// Tensors put together.
namespace gpucheck::tensor {

struct CatNotation {
  static constexpr std::string_view text = "cat(Tensor[] tensors, int dim=0) -> Tensor";
};
using Cat = Operator<CatNotation>;
/// The tensors one after another along a dimension, of the type that holds all. Those with one dimension and no element
/// are left out. @throws Error for shapes that do not fit.
inline constexpr Cat cat;
inline constexpr Out<Cat, "out"> cat_out;

struct StackNotation {
  static constexpr std::string_view text = "stack(Tensor[] tensors, int dim=0) -> Tensor";
};
using Stack = Operator<StackNotation>;
/// Tensors of one shape side by side along a new dimension. @throws Error for shapes that do not fit.
inline constexpr Stack stack;
inline constexpr Out<Stack, "out"> stack_out;

}  // namespace gpucheck::tensor
