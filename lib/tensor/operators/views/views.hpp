#pragma once

#include "tensor/call/operator.hpp"

/// The same elements seen in another way: results share the storage. @throws Error, IndexError with PyTorch's texts.
namespace gpucheck::tensor {

struct ViewDefaultNotation {
  static constexpr std::string_view text = "view(Tensor(a) self, SymInt[] size) -> Tensor(a)";
};
using ViewDefault = Operator<ViewDefaultNotation>;
/// Other sizes, of which one may be -1. @throws Error where the strides do not allow it.
inline constexpr ViewDefault view;
struct ReshapeNotation {
  static constexpr std::string_view text = "reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)";
};
using Reshape = Operator<ReshapeNotation>;
/// The same, by a copy where strides do not allow it.
inline constexpr Reshape reshape;
struct FlattenNotation {
  static constexpr std::string_view text =
      "flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)";
};
using Flatten = Operator<FlattenNotation>;
inline constexpr Flatten flatten;
struct AsStridedNotation {
  static constexpr std::string_view text =
      "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)";
};
using AsStrided = Operator<AsStridedNotation>;
inline constexpr AsStrided as_strided;

struct SelectIntNotation {
  static constexpr std::string_view text = "select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)";
};
using SelectInt = Operator<SelectIntNotation>;
inline constexpr SelectInt select;
struct SliceTensorNotation {
  static constexpr std::string_view text =
      "slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)";
};
using SliceTensor = Operator<SliceTensorNotation>;
inline constexpr SliceTensor slice;
struct NarrowNotation {
  static constexpr std::string_view text = "narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)";
};
using Narrow = Operator<NarrowNotation>;
inline constexpr Narrow narrow;

struct TNotation {
  static constexpr std::string_view text = "t(Tensor(a) self) -> Tensor(a)";
};
using T = Operator<TNotation>;
/// The two dimensions exchanged; a tensor with fewer as it is.
inline constexpr T t;
struct TransposeIntNotation {
  static constexpr std::string_view text = "transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)";
};
using TransposeInt = Operator<TransposeIntNotation>;
inline constexpr TransposeInt transpose;
struct PermuteNotation {
  static constexpr std::string_view text = "permute(Tensor(a) self, int[] dims) -> Tensor(a)";
};
using Permute = Operator<PermuteNotation>;
inline constexpr Permute permute;
struct ExpandNotation {
  static constexpr std::string_view text = "expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)";
};
using Expand = Operator<ExpandNotation>;
/// Dimensions of size 1 repeated; -1 keeps one as it is.
inline constexpr Expand expand;
struct UnsqueezeNotation {
  static constexpr std::string_view text = "unsqueeze(Tensor(a) self, int dim) -> Tensor(a)";
};
using Unsqueeze = Operator<UnsqueezeNotation>;
inline constexpr Unsqueeze unsqueeze;
struct SqueezeDefaultNotation {
  static constexpr std::string_view text = "squeeze(Tensor(a) self) -> Tensor(a)";
};
using SqueezeDefault = Operator<SqueezeDefaultNotation>;
struct SqueezeDimNotation {
  static constexpr std::string_view text = "squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)";
};
using SqueezeDim = Operator<SqueezeDimNotation>;
inline constexpr Overloads<SqueezeDefault, SqueezeDim> squeeze;
struct AliasDefaultNotation {
  static constexpr std::string_view text = "alias(Tensor(a) self) -> Tensor(a)";
};
using AliasDefault = Operator<AliasDefaultNotation>;
inline constexpr AliasDefault alias;
struct DetachNotation {
  static constexpr std::string_view text = "detach(Tensor(a) self) -> Tensor(a)";
};
using Detach = Operator<DetachNotation>;
/// Another tensor without gradients.
inline constexpr Detach detach;

}  // namespace gpucheck::tensor
