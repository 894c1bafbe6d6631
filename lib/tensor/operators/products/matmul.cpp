#include <fmt/format.h>

#include "base/error.hpp"
#include "tensor/call/structured.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/products/products.hpp"
#include "tensor/operators/products/support.hpp"
#include "tensor/operators/views/views.hpp"

namespace gpucheck::tensor::operators::in_products::matmul {
namespace {

Sizes outer_of(const Tensor& tensor, std::int64_t inner_rank) {
  const Sizes& sizes = tensor.sizes();
  return tensor.rank() <= inner_rank ? Sizes{} : Sizes(sizes.begin(), sizes.end() - inner_rank);
}

Sizes with(Sizes sizes, std::initializer_list<std::int64_t> more) {
  sizes.insert(sizes.end(), more);
  return sizes;
}

/// With the last two dimensions exchanged.
Tensor exchanged(const Tensor& tensor) { return transpose(tensor, -2, -1); }

/// Whether the dimensions but the last can be one without a copy.
bool can_fold(const Tensor& tensor) {
  if (tensor.count() == 0) return true;
  const Sizes& sizes = tensor.sizes();
  const Sizes& strides = tensor.strides();
  for (std::size_t i = 0; i + 2 < sizes.size(); ++i) {
    if (strides[i] != strides[i + 1] * sizes[i + 1]) return false;
  }
  return true;
}

/// Whether a batch times one matrix or vector is one product: PyTorch's `should_fold`.
bool should_fold(const Tensor& a, const Tensor& b) {
  const bool a_is_larger = a.rank() >= b.rank();
  const Tensor& larger = a_is_larger ? a : b;
  if (larger.rank() < 3 || std::min(a.rank(), b.rank()) > 2) return false;
  // The transposed result would have to be copied.
  if (a.rank() == 2) return false;
  return can_fold(a_is_larger ? a : exchanged(b));
}

Tensor multiply_folded(const Tensor& a, const Tensor& b) {
  const bool a_is_larger = a.rank() >= b.rank();
  const Tensor larger = a_is_larger ? a : exchanged(b);
  const Tensor& smaller = a_is_larger ? b : a;
  Sizes sizes = outer_of(larger, 1);
  const Tensor folded = reshape(larger, {element_count(sizes), larger.size(-1)});
  if (smaller.rank() == 1) return view(tensor::mv(folded, smaller), sizes);
  return view(tensor::mm(folded, smaller), with(sizes, {smaller.size(1)}));
}

Tensor multiply_batches(const Tensor& a, const Tensor& b) {
  const std::int64_t rows = a.rank() > 1 ? a.size(-2) : 1;
  const std::int64_t depth_of_b = b.rank() > 1 ? b.size(-2) : b.size(-1);
  const std::int64_t columns = b.rank() > 1 ? b.size(-1) : 1;
  Sizes sizes = broadcast_sizes(outer_of(a, 2), outer_of(b, 2));
  const std::int64_t batch = element_count(sizes);
  const Tensor left = reshape(expand(a, with(sizes, {rows, a.size(-1)})), {batch, rows, a.size(-1)});
  const Tensor right = b.rank() == 1
                           ? unsqueeze(reshape(expand(b, with(sizes, {depth_of_b})), {batch, depth_of_b}), 2)
                           : reshape(expand(b, with(sizes, {depth_of_b, columns})), {batch, depth_of_b, columns});
  if (a.rank() > 1) sizes.push_back(rows);
  if (b.rank() > 1) sizes.push_back(columns);
  return view(tensor::bmm(left, right), sizes);
}

Tensor product_of(const Tensor& a, const Tensor& b) {
  if (a.rank() == 0 || b.rank() == 0) {
    throw Error(
        fmt::format("both arguments to matmul need to be at least 1D, but they are {}D and {}D", a.rank(), b.rank()));
  }
  if (a.rank() == 1 && b.rank() == 1) return dot(a, b);
  if (a.rank() == 2 && b.rank() == 1) return tensor::mv(a, b);
  if (a.rank() == 1 && b.rank() == 2) return squeeze(tensor::mm(unsqueeze(a, 0), b), 0);
  if (a.rank() == 2 && b.rank() == 2) return tensor::mm(a, b);
  return should_fold(a, b) ? multiply_folded(a, b) : multiply_batches(a, b);
}

/// Into a result that is there.
Tensor placed(const Destination& destination, const Tensor& product) {
  if (!destination.tensor.defined()) return product;
  const Tensor result = result_for(destination, product.sizes(), product);
  copy_(result, product);
  return result;
}

Tensor compute(const Destination& destination, const Tensor& self, const Tensor& other) {
  return placed(destination, product_of(self, other));
}

Tensor linear_of(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  if (input.rank() == 0 || weight.rank() == 0) {
    throw Error(fmt::format("both arguments to linear need to be at least 1D, but they are {}D and {}D", input.rank(),
                            weight.rank()));
  }
  if (!bias.defined()) return tensor::matmul(input, t(weight));
  if (input.rank() == 2) return addmm(bias, input, t(weight));
  if (input.rank() == 3 && input.is_contiguous()) {
    const Tensor rows = reshape(input, {input.size(0) * input.size(1), input.size(2)});
    const Tensor product = addmm(bias, rows, t(weight));
    return view(product, {input.size(0), input.size(1), product.size(1)});
  }
  return add_(tensor::matmul(input, t(weight)), bias);
}

Tensor compute_linear(const Destination& destination, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  return placed(destination, linear_of(input, weight, bias));
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.autocast = AutocastPolicy::lower_precision, .is_composite = true};
  return joined({structured<&compute>(traits, tensor::matmul, matmul_out),
                 structured<&compute_linear>(traits, linear, linear_out)});
}

}  // namespace gpucheck::tensor::operators::in_products::matmul
