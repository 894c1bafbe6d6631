#pragma once

#include <tuple>

#include "tensor/call/operator.hpp"

/// Reductions over dimensions. 16-bit floating types are computed in float32. @throws Error, as Reduction does.
namespace gpucheck::tensor {

using SumDefault = Operator<"sum(Tensor self, *, ScalarType? dtype=None) -> Tensor">;
using SumDimensions =
    Operator<"sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor">;
/// Whole numbers and booleans give int64, unless another type is asked for.
inline constexpr Overloads<SumDefault, SumDimensions> sum;
inline constexpr Overloads<Out<SumDefault, "out">, Out<SumDimensions, "IntList_out">> sum_out;

using Mean = Operator<"mean(Tensor self, *, ScalarType? dtype=None) -> Tensor">;
using MeanDimensions =
    Operator<"mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor">;
/// The sum, divided by the count at the end. @throws Error for whole numbers, unless a floating type is asked for.
inline constexpr Overloads<Mean, MeanDimensions> mean;
inline constexpr Overloads<Out<Mean, "dtype_out">, Out<MeanDimensions, "out">> mean_out;

using ProductDefault = Operator<"prod(Tensor self, *, ScalarType? dtype=None) -> Tensor">;
using ProductDimension =
    Operator<"prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor">;
/// Whole numbers and booleans give int64, unless another type is asked for.
inline constexpr Overloads<ProductDefault, ProductDimension> prod;
inline constexpr Overloads<Out<ProductDefault, "out">, Out<ProductDimension, "int_out">> prod_out;

using AnyDefault = Operator<"any(Tensor self) -> Tensor">;
using AnyDimension = Operator<"any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor">;
using AllDefault = Operator<"all(Tensor self) -> Tensor">;
using AllDimension = Operator<"all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor">;
/// Whether an element is not 0, or every one: booleans, but uint8 of uint8.
inline constexpr Overloads<AnyDefault, AnyDimension> any;
inline constexpr Overloads<Out<AnyDefault, "all_out">, Out<AnyDimension, "out">> any_out;
inline constexpr Overloads<AllDefault, AllDimension> all;
inline constexpr Overloads<Out<AllDefault, "all_out">, Out<AllDimension, "out">> all_out;

using LargestValues = Operator<"amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor">;
using SmallestValues = Operator<"amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor">;
/// The largest and the smallest element; NaN where there is one. @throws Error where there is none.
inline constexpr LargestValues amax;
inline constexpr Out<LargestValues, "out"> amax_out;
inline constexpr SmallestValues amin;
inline constexpr Out<SmallestValues, "out"> amin_out;

using MaxDefault = Operator<"max(Tensor self) -> Tensor">;
using MaxDimension = Operator<"max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)">;
using MaxDimensionOut = Operator<
    "max.dim_max(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, Tensor(b!) max_values) -> (Tensor(a!) "
    "values, Tensor(b!) indices)">;
using MinDefault = Operator<"min(Tensor self) -> Tensor">;
using MinDimension = Operator<"min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)">;
using MinDimensionOut = Operator<
    "min.dim_min(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) min, Tensor(b!) min_indices) -> (Tensor(a!) "
    "values, Tensor(b!) indices)">;
/// The largest and the smallest element; over a dimension also its index there (int64), of equal ones the first. NaN
/// wins. @throws Error where there is none.
inline constexpr Overloads<MaxDefault, MaxDimension> max;
inline constexpr Overloads<Out<MaxDefault, "unary_out">, MaxDimensionOut> max_out;
inline constexpr Overloads<MinDefault, MinDimension> min;
inline constexpr Overloads<Out<MinDefault, "unary_out">, MinDimensionOut> min_out;

using ArgMax = Operator<"argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor">;
using ArgMin = Operator<"argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor">;
/// The index alone; without a dimension among all elements in their order. @throws Error for booleans.
inline constexpr ArgMax argmax;
inline constexpr Out<ArgMax, "out"> argmax_out;
inline constexpr ArgMin argmin;
inline constexpr Out<ArgMin, "out"> argmin_out;

using NormOrder = Operator<"norm.Scalar(Tensor self, Scalar p=2) -> Tensor">;
using NormOrderDtype = Operator<"norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor">;
using NormDimensions = Operator<"norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor">;
using NormDimensionsDtype = Operator<
    "norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor">;
using VectorNorm = Operator<
    "linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> "
    "Tensor">;
/// The p-norm: 0 counts what is not 0, infinity is the largest absolute value, minus infinity the smallest. Of complex
/// numbers it is real. @throws Error for whole numbers.
inline constexpr Overloads<NormOrder, NormOrderDtype, NormDimensions, NormDimensionsDtype> norm;
inline constexpr Overloads<Out<NormDimensions, "out">, Out<NormDimensionsDtype, "dtype_out">> norm_out;
inline constexpr VectorNorm linalg_vector_norm;
inline constexpr Out<VectorNorm, "out"> linalg_vector_norm_out;

using CumulativeSum = Operator<"cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor">;
using CumulativeProduct = Operator<"cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor">;
/// Sums and products of all elements up to each along a dimension; whole numbers and booleans give int64, unless
/// another type is asked for.
inline constexpr CumulativeSum cumsum;
inline constexpr InPlace<CumulativeSum> cumsum_;
inline constexpr Out<CumulativeSum, "out"> cumsum_out;
inline constexpr CumulativeProduct cumprod;
inline constexpr InPlace<CumulativeProduct> cumprod_;
inline constexpr Out<CumulativeProduct, "out"> cumprod_out;

using SoftmaxKernel = Operator<"_softmax(Tensor self, int dim, bool half_to_float) -> Tensor">;
using LogSoftmaxKernel = Operator<"_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor">;
using SoftmaxDimension = Operator<"softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor">;
using LogSoftmaxDimension = Operator<"log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor">;
/// e^x / sum of e^x along a dimension, and its logarithm. @throws NotImplementedError for whole and complex numbers.
inline constexpr SoftmaxDimension softmax;
inline constexpr LogSoftmaxDimension log_softmax;

using LogSumExp = Operator<"logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor">;
/// The logarithm of the sum of e^x; whole numbers give float32.
inline constexpr LogSumExp logsumexp;
inline constexpr Out<LogSumExp, "out"> logsumexp_out;

using VarianceDefault = Operator<"var(Tensor self, bool unbiased=True) -> Tensor">;
using VarianceDimensions =
    Operator<"var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor">;
using VarianceCorrection =
    Operator<"var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor">;
using DeviationDefault = Operator<"std(Tensor self, bool unbiased=True) -> Tensor">;
using DeviationDimensions =
    Operator<"std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor">;
using DeviationCorrection =
    Operator<"std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor">;
/// The variance and its root: squares of distances from the mean, divided by the count less 1 (`unbiased`), or less a
/// correction. Of complex numbers they are real. @throws Error for whole numbers.
inline constexpr Overloads<VarianceDefault, VarianceDimensions> var;
inline constexpr VarianceCorrection var_correction;
inline constexpr Overloads<DeviationDefault, DeviationDimensions> deviation;
inline constexpr DeviationCorrection deviation_correction;

}  // namespace gpucheck::tensor
