#pragma once

#include "tensor/call/operator.hpp"

/// The same elements seen in another way: results share the storage. @throws Error, IndexError with PyTorch's texts.
namespace gpucheck::tensor {

using ViewDefault = Operator<"view(Tensor(a) self, SymInt[] size) -> Tensor(a)">;
/// Other sizes, of which one may be -1. @throws Error where the strides do not allow it.
inline constexpr ViewDefault view;
using Reshape = Operator<"reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)">;
/// The same, by a copy where strides do not allow it.
inline constexpr Reshape reshape;
using Flatten = Operator<"flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)">;
inline constexpr Flatten flatten;
using AsStrided =
    Operator<"as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)">;
inline constexpr AsStrided as_strided;

using SelectInt = Operator<"select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)">;
inline constexpr SelectInt select;
using SliceTensor = Operator<
    "slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)">;
inline constexpr SliceTensor slice;
using Narrow = Operator<"narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)">;
inline constexpr Narrow narrow;

using T = Operator<"t(Tensor(a) self) -> Tensor(a)">;
/// The two dimensions exchanged; a tensor with fewer as it is.
inline constexpr T t;
using TransposeInt = Operator<"transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)">;
inline constexpr TransposeInt transpose;
using Permute = Operator<"permute(Tensor(a) self, int[] dims) -> Tensor(a)">;
inline constexpr Permute permute;
using Expand = Operator<"expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)">;
/// Dimensions of size 1 repeated; -1 keeps one as it is.
inline constexpr Expand expand;
using Unsqueeze = Operator<"unsqueeze(Tensor(a) self, int dim) -> Tensor(a)">;
inline constexpr Unsqueeze unsqueeze;
using SqueezeDefault = Operator<"squeeze(Tensor(a) self) -> Tensor(a)">;
using SqueezeDim = Operator<"squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)">;
inline constexpr Overloads<SqueezeDefault, SqueezeDim> squeeze;
using AliasDefault = Operator<"alias(Tensor(a) self) -> Tensor(a)">;
inline constexpr AliasDefault alias;
using Detach = Operator<"detach(Tensor(a) self) -> Tensor(a)">;
/// Another tensor without gradients.
inline constexpr Detach detach;

}  // namespace gpucheck::tensor
