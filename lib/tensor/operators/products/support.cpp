#include "tensor/operators/products/support.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "tensor/iterator/overlap.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/libraries/matrix_library.hpp"
#include "tensor/libraries/precision.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/operands.hpp"
#include "tensor/operators/products/kernels/plain_products.hpp"
#include "tensor/operators/views/views.hpp"

namespace gpucheck::tensor::operators::in_products {
namespace {

namespace kernels = device::kernels;

/// Elements from one row to the next where those of a row lie side by side; nothing where they do not.
std::optional<std::int64_t> leading_of_rows(const Matrices& matrices) {
  if (matrices.columns != 1 && matrices.column_stride != 1) return std::nullopt;
  if (matrices.rows == 1) return matrices.columns;
  return matrices.row_stride >= matrices.columns ? std::optional(matrices.row_stride) : std::nullopt;
}

/// Matrices as the library takes them.
struct Laid {
  Matrices matrices;
  std::int64_t leading = 0;
  bool by_rows = true;
};

std::optional<Laid> as_laid(const Matrices& matrices) {
  const auto address = reinterpret_cast<std::uintptr_t>(matrices.tensor.data());
  if (address % device::product_alignment != 0) return std::nullopt;
  if (const auto leading = leading_of_rows(matrices)) return Laid{matrices, *leading, true};
  if (const auto leading = leading_of_rows(matrices.transposed())) return Laid{matrices, *leading, false};
  return std::nullopt;
}

/// New memory for matrices of those sizes, row by row.
Matrices empty_like(const Matrices& matrices) {
  return matrices_of(
      make_empty({matrices.batch, matrices.rows, matrices.columns}, matrices.tensor.dtype(), matrices.tensor.device()));
}

/// The tensor with the matrices' dimensions.
Tensor as_tensor(const Matrices& matrices) {
  return matrices.tensor.with_geometry({{matrices.batch, matrices.rows, matrices.columns},
                                        {matrices.batch_stride, matrices.row_stride, matrices.column_stride},
                                        matrices.tensor.offset()});
}

/// As they are, or as a copy where the library could not read them.
Laid laid(const Matrices& matrices) {
  if (auto found = as_laid(matrices)) return *std::move(found);
  const Matrices copy = empty_like(matrices);
  copy_(copy.tensor, as_tensor(matrices));
  return *as_laid(copy);
}

/// The result as it is written; nothing where it needs memory of another layout, or of its own.
std::optional<Laid> written(const Matrices& result, const Matrices& a, const Matrices& b) {
  const Storage& storage = result.tensor.storage();
  if (storage == a.tensor.storage() || storage == b.tensor.storage()) return std::nullopt;
  auto found = as_laid(result);
  if (!found || result.batch == 1) return found;
  const std::int64_t extent = found->by_rows ? (result.rows - 1) * found->leading + result.columns
                                             : (result.columns - 1) * found->leading + result.rows;
  return result.batch_stride >= extent ? found : std::nullopt;
}

device::ElementType element_type(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return device::ElementType::fp64;
    case DType::float16:
      return device::ElementType::fp16;
    case DType::bfloat16:
      return device::ElementType::bf16;
    default:
      return device::ElementType::fp32;
  }
}

device::ComputeType compute_type(DType dtype, const MatmulSettings& settings) {
  if (dtype == DType::float64) return device::ComputeType::fp64;
  return dtype == DType::float32 && settings.allow_tf32() ? device::ComputeType::tf32 : device::ComputeType::fp32;
}

bool needs_wide_partial_sums(DType dtype, const MatmulSettings& settings) {
  return (dtype == DType::float16 && !settings.allow_fp16_reduced_precision_reduction) ||
         (dtype == DType::bfloat16 && !settings.allow_bf16_reduced_precision_reduction);
}

/// The library reads columns where PyTorch has rows: it gets the transposed product, d' = b' a', of a result whose rows
/// lie side by side.
bool multiply_rows(const Laid& d, const Laid& a, const Laid& b, const Factors& factors) {
  const DType dtype = d.matrices.tensor.dtype();
  const MatmulSettings settings = matmul_settings();
  device::MatrixProduct product{.m = d.matrices.columns,
                                .n = d.matrices.rows,
                                .k = a.matrices.columns,
                                .transpose_a = !b.by_rows,
                                .transpose_b = !a.by_rows,
                                .leading_a = b.leading,
                                .leading_b = a.leading,
                                .leading_d = d.leading,
                                .a = element_type(dtype),
                                .b = element_type(dtype),
                                .d = element_type(dtype),
                                .compute = compute_type(dtype, settings),
                                .scale = factors.alpha.to_double(),
                                .beta = factors.beta.to_double(),
                                .wide_partial_sums = needs_wide_partial_sums(dtype, settings),
                                .batch = d.matrices.batch};
  if (product.batch > 1) {
    product.batch_stride_a = b.matrices.batch_stride;
    product.batch_stride_b = a.matrices.batch_stride;
    product.batch_stride_d = d.matrices.batch_stride;
  }
  return multiply_by_library(
      d.matrices.tensor.device().runtime(), product,
      {.a = b.matrices.tensor.data(), .b = a.matrices.tensor.data(), .d = d.matrices.tensor.data()});
}

Laid transposed(const Laid& of) { return {of.matrices.transposed(), of.leading, !of.by_rows}; }

bool multiply_with_library(const Laid& d, const Matrices& a, const Matrices& b, const Factors& factors) {
  if (d.by_rows) return multiply_rows(d, laid(a), laid(b), factors);
  return multiply_rows(transposed(d), transposed(laid(b)), transposed(laid(a)), factors);
}

kernels::StridedMatrices strided(const Matrices& matrices) {
  const auto bytes = static_cast<std::int64_t>(element_bytes(matrices.tensor.dtype()));
  return {.data = matrices.tensor.data(),
          .rows = matrices.rows,
          .columns = matrices.columns,
          .batch_stride = matrices.batch_stride * bytes,
          .row_stride = matrices.row_stride * bytes,
          .column_stride = matrices.column_stride * bytes};
}

template <typename Number>
void launch_plain(const Matrices& d, const Matrices& a, const Matrices& b, const Factors& factors) {
  kernels::PlainProduct<Number> kernel{};
  kernel.a = strided(a);
  kernel.b = strided(b);
  kernel.d = strided(d);
  kernel.batch = d.batch;
  kernel.dtype = d.tensor.dtype();
  kernel.alpha = detail::number_of<Number>(factors.alpha);
  kernel.beta = detail::number_of<Number>(factors.beta);
  detail::launch_kernel(kernel, d.tensor.device().runtime());
}

void multiply_on_device(const Matrices& result, const Matrices& a, const Matrices& b, const Factors& factors) {
  const std::optional<Laid> there = written(result, a, b);
  if (!there) {
    const Matrices own = empty_like(result);
    const Tensor target = as_tensor(result);
    if (factors.beta.to_double() != 0) copy_(own.tensor, target);
    multiply_on_device(own, a, b, factors);
    copy_(target, own.tensor);
    return;
  }
  if (multiply_with_library(*there, a, b, factors)) return;
  if (result.tensor.dtype() == DType::float64) return launch_plain<double>(result, a, b, factors);
  launch_plain<float>(result, a, b, factors);
}

/// The name of the function that PyTorch generates.
std::string method_of(std::string_view name, Form form) {
  constexpr std::string_view endings[]{"", "_", "_out_out"};
  return fmt::format("wrapper_CUDA_{}{}", name, endings[static_cast<std::size_t>(form)]);
}

}  // namespace

Matrices Matrices::transposed() const {
  Matrices result = *this;
  std::swap(result.rows, result.columns);
  std::swap(result.row_stride, result.column_stride);
  return result;
}

Matrices matrices_of(const Tensor& tensor) {
  const Sizes& sizes = tensor.sizes();
  const Sizes& strides = tensor.strides();
  if (tensor.rank() == 2) return {tensor, 1, sizes[0], sizes[1], 0, strides[0], strides[1]};
  return {tensor, sizes[0], sizes[1], sizes[2], strides[0], strides[1], strides[2]};
}

Matrices row_of(const Tensor& vector) { return column_of(vector).transposed(); }

Matrices column_of(const Tensor& vector) {
  const std::int64_t stride = vector.rank() == 0 ? 1 : vector.strides()[0];
  return {vector, 1, vector.count(), 1, 0, stride, 1};
}

void multiply(const Matrices& result, const Matrices& a, const Matrices& b, const Factors& factors,
              std::string_view name) {
  const DType dtype = result.tensor.dtype();
  const bool is_host = result.tensor.device().is_host();
  if (!is_floating(dtype) && !(is_host && is_integral(dtype))) refuse_dtype(name, dtype);
  if (result.tensor.count() == 0) return;
  if (a.columns == 0) {
    if (factors.beta.to_double() == 0) {
      zero_(result.tensor);
    } else {
      mul_(result.tensor, factors.beta);
    }
    return;
  }
  if (is_host) return multiply_on_host(result, a, b, factors, name);
  multiply_on_device(result, a, b, factors);
}

Tensor result_for(const Destination& destination, const Sizes& sizes, const Tensor& like) {
  const Tensor& there = destination.tensor;
  if (!there.defined()) return make_empty(sizes, like.dtype(), like.device());
  if (destination.form == Form::in_place) {
    if (there.sizes() != sizes) {
      throw Error(fmt::format("Bad in-place call: input tensor size {} and output tensor size {} should match",
                              to_text(there.sizes()), to_text(sizes)));
    }
  } else if (there.dtype() != like.dtype()) {
    throw Error(fmt::format("Expected out tensor to have dtype {}, but got {} instead", to_cpp_text(like.dtype()),
                            to_cpp_text(there.dtype())));
  }
  if (there.sizes() != sizes) resize(there, sizes);
  require_no_internal_overlap(there);
  return there;
}

Tensor result_with(const Destination& destination, const Sizes& sizes, const Tensor& self, const Scalar& beta) {
  const Tensor expanded = self.sizes() == sizes ? self : expand(self, sizes);
  // What is resized could be what is added.
  const bool is_own = destination.form == Form::out && destination.tensor.storage() == self.storage();
  const Tensor added = is_own && !destination.tensor.is_same(self) ? clone(expanded) : expanded;
  const Tensor result = result_for(destination, sizes, self);
  if (beta.to_double() != 0 && !result.is_same(added)) copy_(result, added);
  return result;
}

void require_one_device(const Destination& destination, std::string_view name,
                        std::initializer_list<NamedTensor> tensors) {
  const auto is_on_device = [](const Tensor& tensor) { return !tensor.device().is_host(); };
  const bool has_out = destination.form == Form::out;
  const bool any_on_device =
      (has_out && is_on_device(destination.tensor)) ||
      std::ranges::any_of(tensors, [&](const NamedTensor& named) { return is_on_device(named.tensor); });
  if (!any_on_device) return;
  const Device common = has_out ? destination.tensor.device() : tensors.begin()->tensor.device();
  for (const NamedTensor& named : tensors) {
    if (named.tensor.device() == common) continue;
    throw Error(fmt::format(
        "Expected all tensors to be on the same device, but got {} is on {}, different from other tensors on {} (when "
        "checking argument in method {})",
        named.name, named.tensor.device().text(), common.text(), method_of(name, destination.form)));
  }
}

void require_fitting(const Tensor& mat1, const Tensor& mat2) {
  if (mat1.sizes()[1] == mat2.sizes()[0]) return;
  throw Error(fmt::format("mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", mat1.sizes()[0],
                          mat1.sizes()[1], mat2.sizes()[0], mat2.sizes()[1]));
}

void require_type(const Tensor& tensor, DType expected) {
  if (tensor.dtype() == expected) return;
  throw Error(
      fmt::format("expected scalar type {} but found {}", to_error_text(expected), to_error_text(tensor.dtype())));
}

}  // namespace gpucheck::tensor::operators::in_products
