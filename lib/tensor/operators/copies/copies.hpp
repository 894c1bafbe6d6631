#pragma once

#include "tensor/call/operator.hpp"

/// Copies between types, layouts and devices.
namespace gpucheck::tensor {

struct CopyInPlaceNotation {
  static constexpr std::string_view text = "copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)";
};
using CopyInPlace = Operator<CopyInPlaceNotation>;
/// Elements of src, broadcast, as self's type, on the current stream. Between a device and the host the caller waits
/// for it, unless `non_blocking` and the host's memory is pinned. @throws Error for shapes that do not fit.
inline constexpr CopyInPlace copy_;

struct CloneNotation {
  static constexpr std::string_view text = "clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor";
};
using Clone = Operator<CloneNotation>;
/// The same elements in memory of its own, with the same order of dimensions where there are no gaps.
inline constexpr Clone clone;
struct ContiguousNotation {
  static constexpr std::string_view text =
      "contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)";
};
using Contiguous = Operator<ContiguousNotation>;
/// The tensor itself where its elements lie one after another, else a copy where they do.
inline constexpr Contiguous contiguous;

struct ToCopyNotation {
  static constexpr std::string_view text =
      "_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
      "pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor";
};
using ToCopy = Operator<ToCopyNotation>;
/// The tensor itself where it has that type and device already, else a copy.
[[nodiscard]] Tensor to(const Tensor& self, DType dtype);
[[nodiscard]] Tensor to(const Tensor& self, Device device, bool non_blocking = false);

struct ItemNotation {
  static constexpr std::string_view text = "item(Tensor self) -> Scalar";
};
using Item = Operator<ItemNotation>;
/// The one element, once the current stream has it. @throws Error with PyTorch's text for another number of elements.
inline constexpr Item item;

}  // namespace gpucheck::tensor
