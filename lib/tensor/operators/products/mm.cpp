#include <fmt/format.h>

#include "base/error.hpp"
#include "tensor/call/structured.hpp"
#include "tensor/operators/operands.hpp"
#include "tensor/operators/products/products.hpp"
#include "tensor/operators/products/support.hpp"

namespace gpucheck::tensor::operators::in_products::mm {
namespace {

std::string_view kernel_name(const Tensor& result) {
  return result.device().is_host() ? "addmm_impl_cpu_" : "addmm_cuda";
}

void require_matrix(const Tensor& tensor, std::string_view name) {
  if (tensor.rank() != 2) throw Error(fmt::format("{} must be a matrix", name));
}

Tensor compute(const Destination& destination, const Tensor& self, const Tensor& mat2) {
  require_one_device(destination, "mm", {{"self", self}, {"mat2", mat2}});
  require_matrix(self, "self");
  require_matrix(mat2, "mat2");
  require_fitting(self, mat2);
  if (self.dtype() != mat2.dtype()) {
    const bool is_host = self.device().is_host();
    throw Error(fmt::format("expected {} and {} to have the same dtype, but got: {} != {}", is_host ? "m1" : "mat1",
                            is_host ? "m2" : "mat2", to_cpp_text(self.dtype()), to_cpp_text(mat2.dtype())));
  }
  const Tensor result = result_for(destination, {self.sizes()[0], mat2.sizes()[1]}, self);
  multiply(matrices_of(result), matrices_of(self), matrices_of(mat2), {}, kernel_name(result));
  return result;
}

void require_same_dtype(const Tensor& tensor, std::string_view name, const Tensor& mat2) {
  if (tensor.dtype() == mat2.dtype()) return;
  throw Error(fmt::format("{} and mat2 must have the same dtype, but got {} and {}", name,
                          to_error_text(tensor.dtype()), to_error_text(mat2.dtype())));
}

void require_matrix_of_sum(const Tensor& tensor, std::string_view name) {
  if (tensor.rank() != 2) throw Error(fmt::format("{} must be a matrix, got {}-D tensor", name, tensor.rank()));
}

Tensor compute_sum(const Destination& destination, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                   const Scalar& beta, const Scalar& alpha) {
  require_one_device(destination, "addmm", {{"self", self}, {"mat1", mat1}, {"mat2", mat2}});
  require_same_dtype(self, "self", mat2);
  require_same_dtype(mat1, "mat1", mat2);
  require_matrix_of_sum(mat1, "mat1");
  require_matrix_of_sum(mat2, "mat2");
  require_fitting(mat1, mat2);
  const Tensor result = result_with(destination, {mat1.sizes()[0], mat2.sizes()[1]}, self, beta);
  multiply(matrices_of(result), matrices_of(mat1), matrices_of(mat2), {beta, alpha}, kernel_name(result));
  return result;
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.autocast = AutocastPolicy::lower_precision};
  return joined(
      {structured<&compute>(traits, tensor::mm, mm_out), structured<&compute_sum>(traits, addmm, addmm_, addmm_out)});
}

}  // namespace gpucheck::tensor::operators::in_products::mm
