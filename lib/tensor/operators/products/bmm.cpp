#include <fmt/format.h>

#include "base/error.hpp"
#include "tensor/call/structured.hpp"
#include "tensor/operators/products/products.hpp"
#include "tensor/operators/products/support.hpp"
#include "tensor/operators/views/views.hpp"

namespace gpucheck::tensor::operators::in_products::bmm {
namespace {

void require_batch(const Tensor& tensor, std::string_view name) {
  if (tensor.rank() != 3) throw Error(fmt::format("{} must be a 3D tensor", name));
}

void require_batches(const Tensor& batch1, const Tensor& batch2) {
  require_batch(batch1, "batch1");
  require_batch(batch2, "batch2");
  const Sizes& sizes = batch1.sizes();
  const Sizes& others = batch2.sizes();
  if (others[0] == sizes[0] && others[1] == sizes[2]) return;
  throw Error(fmt::format("Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
                          sizes[0], sizes[2], others[0], others[1]));
}

void multiply_batches(const Tensor& result, const Tensor& batch1, const Tensor& batch2, const Factors& factors) {
  multiply(matrices_of(result), matrices_of(batch1), matrices_of(batch2), factors,
           result.device().is_host() ? "baddbmm" : "baddbmm_cuda");
}

Tensor compute(const Destination& destination, const Tensor& self, const Tensor& mat2) {
  require_one_device(destination, "bmm", {{"self", self}, {"mat2", mat2}});
  require_batches(self, mat2);
  require_type(mat2, self.dtype());
  const Tensor result = result_for(destination, {self.sizes()[0], self.sizes()[1], mat2.sizes()[2]}, self);
  multiply_batches(result, self, mat2, {});
  return result;
}

Tensor compute_sum(const Destination& destination, const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                   const Scalar& beta, const Scalar& alpha) {
  require_one_device(destination, "baddbmm", {{"self", self}, {"batch1", batch1}, {"batch2", batch2}});
  if (batch1.rank() != 3 || batch2.rank() != 3) require_batches(batch1, batch2);
  const Sizes sizes{batch1.sizes()[0], batch1.sizes()[1], batch2.sizes()[2]};
  const Tensor expanded = self.sizes() == sizes ? self : expand(self, sizes);
  if (self.dtype() != batch1.dtype() || self.dtype() != batch2.dtype()) {
    throw Error(fmt::format("Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}",
                            to_error_text(self.dtype()), to_error_text(batch1.dtype()), to_error_text(batch2.dtype())));
  }
  require_batches(batch1, batch2);
  const Tensor result = result_with(destination, sizes, expanded, beta);
  multiply_batches(result, batch1, batch2, {beta, alpha});
  return result;
}

void require_summed_batches(const Tensor& batch1, const Tensor& batch2) {
  require_batch(batch1, "batch1");
  require_batch(batch2, "batch2");
  const Sizes& sizes = batch1.sizes();
  const Sizes& others = batch2.sizes();
  if (sizes[0] != others[0]) {
    throw Error(fmt::format("batch1 and batch2 must have same number of batches, got {} and {}", sizes[0], others[0]));
  }
  if (sizes[2] == others[1]) return;
  throw Error(
      fmt::format("Incompatible matrix sizes for bmm ({}x{} and {}x{})", sizes[1], sizes[2], others[1], others[2]));
}

/// One product after the other is added to what is there.
Tensor compute_sum_of_all(const Destination& destination, const Tensor& self, const Tensor& batch1,
                          const Tensor& batch2, const Scalar& beta, const Scalar& alpha) {
  require_one_device(destination, "_addbmm", {{"self", self}, {"batch1", batch1}, {"batch2", batch2}});
  require_summed_batches(batch1, batch2);
  require_type(batch1, self.dtype());
  require_type(batch2, self.dtype());
  const Tensor result = result_with(destination, {batch1.sizes()[1], batch2.sizes()[2]}, self, beta);
  const std::string_view name = result.device().is_host() ? "addmm_impl_cpu_" : "addmm_cuda";
  if (batch1.sizes()[0] == 0) {
    Matrices nothing = matrices_of(result);
    nothing.columns = 0;
    multiply(matrices_of(result), nothing, nothing, {beta, alpha}, name);
  }
  for (std::int64_t pair = 0; pair < batch1.sizes()[0]; ++pair) {
    multiply(matrices_of(result), matrices_of(select(batch1, 0, pair)), matrices_of(select(batch2, 0, pair)),
             {pair == 0 ? beta : Scalar(1), alpha}, name);
  }
  return result;
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.autocast = AutocastPolicy::lower_precision};
  return joined({structured<&compute>(traits, tensor::bmm, bmm_out),
                 structured<&compute_sum>(traits, baddbmm, baddbmm_, baddbmm_out),
                 structured<&compute_sum_of_all>(traits, addbmm, addbmm_, addbmm_out)});
}

}  // namespace gpucheck::tensor::operators::in_products::bmm
