#include <fmt/format.h>

#include "base/error.hpp"
#include "tensor/call/structured.hpp"
#include "tensor/operators/products/products.hpp"
#include "tensor/operators/products/support.hpp"

namespace gpucheck::tensor::operators::in_products::mv {
namespace {

void require_matrix_and_vectors(std::int64_t self_rank, std::int64_t self_count, const Tensor& mat, const Tensor& vec) {
  if (mat.rank() != 2 || vec.rank() != 1 || self_rank > 1) {
    throw Error(fmt::format("vector + matrix @ vector expected, got {}, {}, {}", self_rank, mat.rank(), vec.rank()));
  }
  if (mat.sizes()[1] == vec.sizes()[0] && (mat.sizes()[0] == self_count || self_count == 1)) return;
  throw Error(fmt::format("size mismatch, got input ({}), mat ({}x{}), vec ({})", self_count, mat.sizes()[0],
                          mat.sizes()[1], vec.sizes()[0]));
}

void multiply_vector(const Tensor& result, const Tensor& mat, const Tensor& vec, const Factors& factors) {
  multiply(column_of(result), matrices_of(mat), column_of(vec), factors,
           result.device().is_host() ? "addmv_impl_cpu" : "addmv_impl_cuda");
}

Tensor compute_sum(const Destination& destination, const Tensor& self, const Tensor& mat, const Tensor& vec,
                   const Scalar& beta, const Scalar& alpha) {
  require_one_device(destination, "addmv", {{"self", self}, {"mat", mat}, {"vec", vec}});
  require_matrix_and_vectors(self.rank(), self.count(), mat, vec);
  require_type(mat, self.dtype());
  require_type(vec, self.dtype());
  const Tensor result = result_with(destination, {mat.sizes()[0]}, self, beta);
  multiply_vector(result, mat, vec, {beta, alpha});
  return result;
}

/// As PyTorch: what addmv gives for a result that is not read.
Tensor compute(const Destination& destination, const Tensor& self, const Tensor& vec) {
  const Destination as_out{Form::out, destination.tensor.defined() ? destination.tensor : vec};
  require_one_device(as_out, "addmv", {{"mat", self}, {"vec", vec}});
  const std::int64_t rows = self.rank() == 0 ? 1 : self.sizes()[0];
  require_matrix_and_vectors(1, rows, self, vec);
  require_type(self, vec.dtype());
  const Tensor result = result_for(destination, {rows}, vec);
  multiply_vector(result, self, vec, {});
  return result;
}

Tensor compute_dot(const Destination& destination, const Tensor& self, const Tensor& tensor) {
  require_one_device(destination, "_dot", {{"self", self}, {"tensor", tensor}});
  if (self.rank() != 1 || tensor.rank() != 1) {
    throw Error(fmt::format("1D tensors expected, but got {}D and {}D tensors", self.rank(), tensor.rank()));
  }
  if (self.dtype() != tensor.dtype()) {
    throw Error(fmt::format("dot : expected both vectors to have same dtype, but found {} and {}",
                            to_error_text(self.dtype()), to_error_text(tensor.dtype())));
  }
  if (self.count() != tensor.count()) {
    throw Error(fmt::format(
        "inconsistent tensor size, expected tensor [{}] and src [{}] to have the same number of elements, but got {} "
        "and {} elements respectively",
        self.count(), tensor.count(), self.count(), tensor.count()));
  }
  const Tensor result = result_for(destination, {}, self);
  multiply(column_of(result), row_of(self), column_of(tensor), {}, "dot");
  return result;
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.autocast = AutocastPolicy::lower_precision};
  return joined({structured<&compute>(traits, tensor::mv, mv_out),
                 structured<&compute_sum>(traits, addmv, addmv_, addmv_out),
                 structured<&compute_dot>({.autocast = AutocastPolicy::promote}, dot, dot_out)});
}

}  // namespace gpucheck::tensor::operators::in_products::mv
