#pragma once

#include <tuple>

#include "tensor/call/operator.hpp"

/// Reductions over dimensions. 16-bit floating types are computed in float32. @throws Error, as Reduction does.
namespace gpucheck::tensor {

struct SumDefaultNotation {
  static constexpr std::string_view text = "sum(Tensor self, *, ScalarType? dtype=None) -> Tensor";
};
using SumDefault = Operator<SumDefaultNotation>;
struct SumDimensionsNotation {
  static constexpr std::string_view text =
      "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
};
using SumDimensions = Operator<SumDimensionsNotation>;
/// Whole numbers and booleans give int64, unless another type is asked for.
inline constexpr Overloads<SumDefault, SumDimensions> sum;
inline constexpr Overloads<Out<SumDefault, "out">, Out<SumDimensions, "IntList_out">> sum_out;

struct MeanNotation {
  static constexpr std::string_view text = "mean(Tensor self, *, ScalarType? dtype=None) -> Tensor";
};
using Mean = Operator<MeanNotation>;
struct MeanDimensionsNotation {
  static constexpr std::string_view text =
      "mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
};
using MeanDimensions = Operator<MeanDimensionsNotation>;
/// The sum, divided by the count at the end. @throws Error for whole numbers, unless a floating type is asked for.
inline constexpr Overloads<Mean, MeanDimensions> mean;
inline constexpr Overloads<Out<Mean, "dtype_out">, Out<MeanDimensions, "out">> mean_out;

struct ProductDefaultNotation {
  static constexpr std::string_view text = "prod(Tensor self, *, ScalarType? dtype=None) -> Tensor";
};
using ProductDefault = Operator<ProductDefaultNotation>;
struct ProductDimensionNotation {
  static constexpr std::string_view text =
      "prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
};
using ProductDimension = Operator<ProductDimensionNotation>;
/// Whole numbers and booleans give int64, unless another type is asked for.
inline constexpr Overloads<ProductDefault, ProductDimension> prod;
inline constexpr Overloads<Out<ProductDefault, "out">, Out<ProductDimension, "int_out">> prod_out;

struct AnyDefaultNotation {
  static constexpr std::string_view text = "any(Tensor self) -> Tensor";
};
using AnyDefault = Operator<AnyDefaultNotation>;
struct AnyDimensionNotation {
  static constexpr std::string_view text = "any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor";
};
using AnyDimension = Operator<AnyDimensionNotation>;
struct AllDefaultNotation {
  static constexpr std::string_view text = "all(Tensor self) -> Tensor";
};
using AllDefault = Operator<AllDefaultNotation>;
struct AllDimensionNotation {
  static constexpr std::string_view text = "all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor";
};
using AllDimension = Operator<AllDimensionNotation>;
/// Whether an element is not 0, or every one: booleans, but uint8 of uint8.
inline constexpr Overloads<AnyDefault, AnyDimension> any;
inline constexpr Overloads<Out<AnyDefault, "all_out">, Out<AnyDimension, "out">> any_out;
inline constexpr Overloads<AllDefault, AllDimension> all;
inline constexpr Overloads<Out<AllDefault, "all_out">, Out<AllDimension, "out">> all_out;

struct LargestValuesNotation {
  static constexpr std::string_view text = "amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor";
};
using LargestValues = Operator<LargestValuesNotation>;
struct SmallestValuesNotation {
  static constexpr std::string_view text = "amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor";
};
using SmallestValues = Operator<SmallestValuesNotation>;
/// The largest and the smallest element; NaN where there is one. @throws Error where there is none.
inline constexpr LargestValues amax;
inline constexpr Out<LargestValues, "out"> amax_out;
inline constexpr SmallestValues amin;
inline constexpr Out<SmallestValues, "out"> amin_out;

struct MaxDefaultNotation {
  static constexpr std::string_view text = "max(Tensor self) -> Tensor";
};
using MaxDefault = Operator<MaxDefaultNotation>;
struct MaxDimensionNotation {
  static constexpr std::string_view text =
      "max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)";
};
using MaxDimension = Operator<MaxDimensionNotation>;
struct MaxDimensionOutNotation {
  static constexpr std::string_view text =
      "max.dim_max(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, Tensor(b!) max_values) -> (Tensor(a!) "
      "values, Tensor(b!) indices)";
};
using MaxDimensionOut = Operator<MaxDimensionOutNotation>;
struct MinDefaultNotation {
  static constexpr std::string_view text = "min(Tensor self) -> Tensor";
};
using MinDefault = Operator<MinDefaultNotation>;
struct MinDimensionNotation {
  static constexpr std::string_view text =
      "min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)";
};
using MinDimension = Operator<MinDimensionNotation>;
struct MinDimensionOutNotation {
  static constexpr std::string_view text =
      "min.dim_min(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) min, Tensor(b!) min_indices) -> (Tensor(a!) "
      "values, Tensor(b!) indices)";
};
using MinDimensionOut = Operator<MinDimensionOutNotation>;
/// The largest and the smallest element; over a dimension also its index there (int64), of equal ones the first. NaN
/// wins. @throws Error where there is none.
inline constexpr Overloads<MaxDefault, MaxDimension> max;
inline constexpr Overloads<Out<MaxDefault, "unary_out">, MaxDimensionOut> max_out;
inline constexpr Overloads<MinDefault, MinDimension> min;
inline constexpr Overloads<Out<MinDefault, "unary_out">, MinDimensionOut> min_out;

struct ArgMaxNotation {
  static constexpr std::string_view text = "argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor";
};
using ArgMax = Operator<ArgMaxNotation>;
struct ArgMinNotation {
  static constexpr std::string_view text = "argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor";
};
using ArgMin = Operator<ArgMinNotation>;
/// The index alone; without a dimension among all elements in their order. @throws Error for booleans.
inline constexpr ArgMax argmax;
inline constexpr Out<ArgMax, "out"> argmax_out;
inline constexpr ArgMin argmin;
inline constexpr Out<ArgMin, "out"> argmin_out;

struct NormOrderNotation {
  static constexpr std::string_view text = "norm.Scalar(Tensor self, Scalar p=2) -> Tensor";
};
using NormOrder = Operator<NormOrderNotation>;
struct NormOrderDtypeNotation {
  static constexpr std::string_view text =
      "norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor";
};
using NormOrderDtype = Operator<NormOrderDtypeNotation>;
struct NormDimensionsNotation {
  static constexpr std::string_view text =
      "norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor";
};
using NormDimensions = Operator<NormDimensionsNotation>;
struct NormDimensionsDtypeNotation {
  static constexpr std::string_view text =
      "norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor";
};
using NormDimensionsDtype = Operator<NormDimensionsDtypeNotation>;
struct VectorNormNotation {
  static constexpr std::string_view text =
      "linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) "
      "-> "
      "Tensor";
};
using VectorNorm = Operator<VectorNormNotation>;
/// The p-norm: 0 counts what is not 0, infinity is the largest absolute value, minus infinity the smallest. Of complex
/// numbers it is real. @throws Error for whole numbers.
inline constexpr Overloads<NormOrder, NormOrderDtype, NormDimensions, NormDimensionsDtype> norm;
inline constexpr Overloads<Out<NormDimensions, "out">, Out<NormDimensionsDtype, "dtype_out">> norm_out;
inline constexpr VectorNorm linalg_vector_norm;
inline constexpr Out<VectorNorm, "out"> linalg_vector_norm_out;

struct CumulativeSumNotation {
  static constexpr std::string_view text = "cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor";
};
using CumulativeSum = Operator<CumulativeSumNotation>;
struct CumulativeProductNotation {
  static constexpr std::string_view text = "cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor";
};
using CumulativeProduct = Operator<CumulativeProductNotation>;
/// Sums and products of all elements up to each along a dimension; whole numbers and booleans give int64, unless
/// another type is asked for.
inline constexpr CumulativeSum cumsum;
inline constexpr InPlace<CumulativeSum> cumsum_;
inline constexpr Out<CumulativeSum, "out"> cumsum_out;
inline constexpr CumulativeProduct cumprod;
inline constexpr InPlace<CumulativeProduct> cumprod_;
inline constexpr Out<CumulativeProduct, "out"> cumprod_out;

struct SoftmaxKernelNotation {
  static constexpr std::string_view text = "_softmax(Tensor self, int dim, bool half_to_float) -> Tensor";
};
using SoftmaxKernel = Operator<SoftmaxKernelNotation>;
struct LogSoftmaxKernelNotation {
  static constexpr std::string_view text = "_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor";
};
using LogSoftmaxKernel = Operator<LogSoftmaxKernelNotation>;
struct SoftmaxDimensionNotation {
  static constexpr std::string_view text = "softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor";
};
using SoftmaxDimension = Operator<SoftmaxDimensionNotation>;
struct LogSoftmaxDimensionNotation {
  static constexpr std::string_view text = "log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor";
};
using LogSoftmaxDimension = Operator<LogSoftmaxDimensionNotation>;
/// e^x / sum of e^x along a dimension, and its logarithm. @throws NotImplementedError for whole and complex numbers.
inline constexpr SoftmaxDimension softmax;
inline constexpr LogSoftmaxDimension log_softmax;

struct LogSumExpNotation {
  static constexpr std::string_view text = "logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor";
};
using LogSumExp = Operator<LogSumExpNotation>;
/// The logarithm of the sum of e^x; whole numbers give float32.
inline constexpr LogSumExp logsumexp;
inline constexpr Out<LogSumExp, "out"> logsumexp_out;

struct VarianceDefaultNotation {
  static constexpr std::string_view text = "var(Tensor self, bool unbiased=True) -> Tensor";
};
using VarianceDefault = Operator<VarianceDefaultNotation>;
struct VarianceDimensionsNotation {
  static constexpr std::string_view text =
      "var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor";
};
using VarianceDimensions = Operator<VarianceDimensionsNotation>;
struct VarianceCorrectionNotation {
  static constexpr std::string_view text =
      "var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor";
};
using VarianceCorrection = Operator<VarianceCorrectionNotation>;
struct DeviationDefaultNotation {
  static constexpr std::string_view text = "std(Tensor self, bool unbiased=True) -> Tensor";
};
using DeviationDefault = Operator<DeviationDefaultNotation>;
struct DeviationDimensionsNotation {
  static constexpr std::string_view text =
      "std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor";
};
using DeviationDimensions = Operator<DeviationDimensionsNotation>;
struct DeviationCorrectionNotation {
  static constexpr std::string_view text =
      "std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor";
};
using DeviationCorrection = Operator<DeviationCorrectionNotation>;
/// The variance and its root: squares of distances from the mean, divided by the count less 1 (`unbiased`), or less a
/// correction. Of complex numbers they are real. @throws Error for whole numbers.
inline constexpr Overloads<VarianceDefault, VarianceDimensions> var;
inline constexpr VarianceCorrection var_correction;
inline constexpr Overloads<DeviationDefault, DeviationDimensions> deviation;
inline constexpr DeviationCorrection deviation_correction;

}  // namespace gpucheck::tensor
