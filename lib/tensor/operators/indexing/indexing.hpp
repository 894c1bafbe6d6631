#pragma once

#include "tensor/call/operator.hpp"

/// Elements at places that an index says. An index outside is an error on the host and a device-side assert on a
/// device.
namespace gpucheck::tensor {

struct GatherNotation {
  static constexpr std::string_view text =
      "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor";
};
using Gather = Operator<GatherNotation>;
/// result[i][j] = self[index[i][j]][j] along dimension 0, and so on. @throws Error for shapes that do not fit.
inline constexpr Gather gather;
inline constexpr Out<Gather, "out"> gather_out;

struct BinCountNotation {
  static constexpr std::string_view text = "bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor";
};
using BinCount = Operator<BinCountNotation>;
/// How often each number occurs, or the sum of its weights: of float32 ones float32, of others float64, added on a
/// device in no order. The caller waits for the largest number. @throws Error for numbers below 0.
inline constexpr BinCount bincount;

struct ScatterSourceNotation {
  static constexpr std::string_view text = "scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
};
using ScatterSource = Operator<ScatterSourceNotation>;
struct ScatterValueNotation {
  static constexpr std::string_view text = "scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor";
};
using ScatterValue = Operator<ScatterValueNotation>;
struct ScatterAddNotation {
  static constexpr std::string_view text = "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
};
using ScatterAdd = Operator<ScatterAddNotation>;
/// result[index[i][j]][j] = src[i][j] along dimension 0, and so on, or a number; elsewhere self. Of several elements
/// for one place a device takes any, the host the last. @throws Error for shapes and types that do not fit.
inline constexpr Overloads<ScatterSource, ScatterValue> scatter;
inline constexpr Overloads<InPlace<ScatterSource>, InPlace<ScatterValue>> scatter_;
inline constexpr Overloads<Out<ScatterSource, "src_out">, Out<ScatterValue, "value_out">> scatter_out;
/// The same, added to what is there, on a device in no order: sums of fractions may differ in their last bits.
inline constexpr ScatterAdd scatter_add;
inline constexpr InPlace<ScatterAdd> scatter_add_;
inline constexpr Out<ScatterAdd, "out"> scatter_add_out;

struct IndexSelectNotation {
  static constexpr std::string_view text = "index_select(Tensor self, int dim, Tensor index) -> Tensor";
};
using IndexSelect = Operator<IndexSelectNotation>;
/// The slices of self along a dimension that an index with one dimension says. @throws Error.
inline constexpr IndexSelect index_select;
inline constexpr Out<IndexSelect, "out"> index_select_out;

struct IndexTensorNotation {
  static constexpr std::string_view text = "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor";
};
using IndexTensor = Operator<IndexTensorNotation>;
/// self[indices...], where an undefined tensor stands for all of a dimension: whole numbers, those below 0 counted from
/// the end, or booleans that say which elements. @throws IndexError for what does not fit.
inline constexpr IndexTensor index;
inline constexpr Out<IndexTensor, "Tensor_out"> index_out;

struct IndexPutNotation {
  static constexpr std::string_view text =
      "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor";
};
using IndexPut = Operator<IndexPutNotation>;
/// self[indices...] = values, or added to what is there, as scatter and scatter_add do. @throws as index, and Error.
inline constexpr IndexPut index_put;
inline constexpr InPlace<IndexPut> index_put_;
inline constexpr Out<IndexPut, "out"> index_put_out;

struct NonzeroNotation {
  static constexpr std::string_view text = "nonzero(Tensor self) -> Tensor";
};
using Nonzero = Operator<NonzeroNotation>;
/// The indices of the elements that are not 0, a row for each, in their order. The caller waits for their number.
inline constexpr Nonzero nonzero;
inline constexpr Out<Nonzero, "out"> nonzero_out;

struct MaskedFillScalarNotation {
  static constexpr std::string_view text = "masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor";
};
using MaskedFillScalar = Operator<MaskedFillScalarNotation>;
struct MaskedFillTensorNotation {
  static constexpr std::string_view text = "masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor";
};
using MaskedFillTensor = Operator<MaskedFillTensorNotation>;
/// A number where the mask is true, elsewhere self. @throws Error for a mask that is not boolean.
inline constexpr Overloads<MaskedFillScalar, MaskedFillTensor> masked_fill;
inline constexpr Overloads<InPlace<MaskedFillScalar>, InPlace<MaskedFillTensor>> masked_fill_;

}  // namespace gpucheck::tensor
