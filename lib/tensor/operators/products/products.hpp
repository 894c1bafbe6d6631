#pragma once

#include "tensor/call/operator.hpp"

/// Products of matrices and vectors: of floating types, and on the host of whole numbers, which wrap around. Sums of
/// 16-bit types are float32. On a device the vendor's library multiplies, or a plain kernel where there is none.
/// Factors of 0 for what is added leave it unread. @throws Error with PyTorch's texts for shapes, types and devices
/// that do not fit.
namespace gpucheck::tensor {

struct MatrixProductOperatorNotation {
  static constexpr std::string_view text = "mm(Tensor self, Tensor mat2) -> Tensor";
};
using MatrixProductOperator = Operator<MatrixProductOperatorNotation>;
/// The product of two matrices.
inline constexpr MatrixProductOperator mm;
inline constexpr Out<MatrixProductOperator, "out"> mm_out;
struct AddMatrixProductNotation {
  static constexpr std::string_view text =
      "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor";
};
using AddMatrixProduct = Operator<AddMatrixProductNotation>;
/// beta self + alpha mat1 mat2
inline constexpr AddMatrixProduct addmm;
inline constexpr InPlace<AddMatrixProduct> addmm_;
inline constexpr Out<AddMatrixProduct, "out"> addmm_out;

struct MatrixVectorProductNotation {
  static constexpr std::string_view text = "mv(Tensor self, Tensor vec) -> Tensor";
};
using MatrixVectorProduct = Operator<MatrixVectorProductNotation>;
/// The product of a matrix and a vector.
inline constexpr MatrixVectorProduct mv;
inline constexpr Out<MatrixVectorProduct, "out"> mv_out;
struct AddMatrixVectorProductNotation {
  static constexpr std::string_view text =
      "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor";
};
using AddMatrixVectorProduct = Operator<AddMatrixVectorProductNotation>;
/// beta self + alpha mat vec
inline constexpr AddMatrixVectorProduct addmv;
inline constexpr InPlace<AddMatrixVectorProduct> addmv_;
inline constexpr Out<AddMatrixVectorProduct, "out"> addmv_out;
struct DotProductNotation {
  static constexpr std::string_view text = "dot(Tensor self, Tensor tensor) -> Tensor";
};
using DotProduct = Operator<DotProductNotation>;
/// The product of two vectors, a tensor without dimensions.
inline constexpr DotProduct dot;
inline constexpr Out<DotProduct, "out"> dot_out;

struct BatchProductNotation {
  static constexpr std::string_view text = "bmm(Tensor self, Tensor mat2) -> Tensor";
};
using BatchProduct = Operator<BatchProductNotation>;
/// The products of as many pairs of matrices as both have.
inline constexpr BatchProduct bmm;
inline constexpr Out<BatchProduct, "out"> bmm_out;
struct AddToBatchProductNotation {
  static constexpr std::string_view text =
      "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor";
};
using AddToBatchProduct = Operator<AddToBatchProductNotation>;
/// beta self + alpha batch1 batch2, each pair beside the others.
inline constexpr AddToBatchProduct baddbmm;
inline constexpr InPlace<AddToBatchProduct> baddbmm_;
inline constexpr Out<AddToBatchProduct, "out"> baddbmm_out;
struct AddSumOfBatchProductsNotation {
  static constexpr std::string_view text =
      "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor";
};
using AddSumOfBatchProducts = Operator<AddSumOfBatchProductsNotation>;
/// beta self + alpha times the sum of all pairs' products.
inline constexpr AddSumOfBatchProducts addbmm;
inline constexpr InPlace<AddSumOfBatchProducts> addbmm_;
inline constexpr Out<AddSumOfBatchProducts, "out"> addbmm_out;

struct AnyProductNotation {
  static constexpr std::string_view text = "matmul(Tensor self, Tensor other) -> Tensor";
};
using AnyProduct = Operator<AnyProductNotation>;
/// The product of vectors, matrices and batches of these: vectors count as a row on the left and as a column on the
/// right, outer dimensions are broadcast.
inline constexpr AnyProduct matmul;
inline constexpr Out<AnyProduct, "out"> matmul_out;
struct LinearNotation {
  static constexpr std::string_view text = "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor";
};
using Linear = Operator<LinearNotation>;
/// input times the transposed weight, plus the bias.
inline constexpr Linear linear;
inline constexpr Out<Linear, "out"> linear_out;

}  // namespace gpucheck::tensor
