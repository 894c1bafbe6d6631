#include "tensor/operators/arithmetic/kernels/extrema.hpp"

#include <cmath>

#include "tensor/call/structured.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/iterator/promotion.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/operands.hpp"

namespace gpucheck::tensor::operators::in_arithmetic::extrema {
namespace {

namespace kernels = device::kernels;

template <typename Other>
Tensor extremum(const Destination& destination, const Tensor& self, const Other& other, DType computed, bool is_minimum,
                std::string_view name) {
  const Tensor left = as_computed(self, computed);
  const auto right = as_computed(other, computed);
  const Loop loop(destination, {left, right}, {.computed_dtype = computed});
  with_number<float, double, std::int64_t>(computed, name, [&]<typename Number>(std::type_identity<Number>) {
    run_pointwise<2, Number>(loop, kernels::Extremum<Number>{is_minimum});
  });
  return loop.result();
}

Tensor compute_maximum(const Destination& destination, const Tensor& self, const Tensor& other) {
  if (is_complex(self.dtype()) || is_complex(other.dtype())) {
    throw Error("maximum not implemented for complex tensors.");
  }
  return extremum(destination, self, other, common_dtype(self, other), false, "max_elementwise_cuda");
}
Tensor compute_minimum(const Destination& destination, const Tensor& self, const Tensor& other) {
  if (is_complex(self.dtype()) || is_complex(other.dtype())) {
    throw Error("minimum not implemented for complex tensors.");
  }
  return extremum(destination, self, other, common_dtype(self, other), true, "min_elementwise_cuda");
}

/// The type in which a tensor is clamped by bounds. @throws NotImplementedError for one without an order, or booleans.
template <typename Bound>
DType clamped_dtype(const Tensor& self, std::initializer_list<const Bound*> bounds, std::string_view name) {
  ResultType type;
  type.add(self);
  for (const Bound* const bound : bounds) {
    if (bound != nullptr) type.add(*bound);
  }
  const DType computed = type.dtype();
  if (is_complex(computed)) throw NotImplementedError("clamp is not supported for complex types");
  if (computed == DType::boolean) refuse_dtype(name, computed);
  return computed;
}

template <typename Bound>
constexpr std::string_view name_of(std::string_view of_tensors, std::string_view of_scalars) {
  return std::is_same_v<Bound, Tensor> ? of_tensors : of_scalars;
}

template <typename Bound>
Tensor clamp_below(const Destination& destination, const Tensor& self, const Bound& min) {
  const auto name = name_of<Bound>("max_elementwise_cuda", "clamp_min_scalar_cuda");
  return extremum(destination, self, min, clamped_dtype<Bound>(self, {&min}, name), false, name);
}
template <typename Bound>
Tensor clamp_above(const Destination& destination, const Tensor& self, const Bound& max) {
  const auto name = name_of<Bound>("min_elementwise_cuda", "clamp_max_scalar_cuda");
  return extremum(destination, self, max, clamped_dtype<Bound>(self, {&max}, name), true, name);
}

template <typename Bound>
Tensor clamp_both(const Destination& destination, const Tensor& self, const Bound* min, const Bound* max) {
  if (min == nullptr && max == nullptr) throw Error("torch.clamp: At least one of 'min' or 'max' must not be None");
  if (max == nullptr) return clamp_below(destination, self, *min);
  if (min == nullptr) return clamp_above(destination, self, *max);
  const auto name = name_of<Bound>("clamp_cuda", "clamp_scalar_cuda");
  const DType computed = clamped_dtype(self, {min, max}, name);
  const Tensor clamped = as_computed(self, computed);
  const auto low = as_computed(*min, computed);
  const auto high = as_computed(*max, computed);
  const Loop loop(destination, {clamped, low, high}, {.computed_dtype = computed});
  with_number<float, double, std::int64_t>(computed, name, [&]<typename Number>(std::type_identity<Number>) {
    run_pointwise<3, Number>(loop, kernels::Clamp<Number>{});
  });
  return loop.result();
}

Tensor clamp_scalars(const Destination& destination, const Tensor& self, const std::optional<Scalar>& min,
                     const std::optional<Scalar>& max) {
  return clamp_both<Scalar>(destination, self, min ? &*min : nullptr, max ? &*max : nullptr);
}
Tensor clamp_tensors(const Destination& destination, const Tensor& self, const Tensor& min, const Tensor& max) {
  return clamp_both<Tensor>(destination, self, min.defined() ? &min : nullptr, max.defined() ? &max : nullptr);
}

template <auto compute, typename Typed, typename... Other>
std::vector<Entry> forms(const Typed& functional, const Other&... others) {
  return structured<compute>({.operations_per_element = 1}, functional, InPlace<Typed>{}, others...);
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.operations_per_element = 1};
  return joined({structured<&compute_maximum>(traits, Maximum{}, maximum_out),
                 structured<&compute_minimum>(traits, Minimum{}, minimum_out),
                 forms<&clamp_scalars>(ClampScalar{}, Out<ClampScalar, "out">{}),
                 forms<&clamp_tensors>(ClampTensor{}, Out<ClampTensor, "Tensor_out">{}),
                 forms<&clamp_below<Scalar>>(ClampMin{}, Out<ClampMin, "out">{}),
                 forms<&clamp_below<Tensor>>(ClampMinTensor{}, Out<ClampMinTensor, "Tensor_out">{}),
                 forms<&clamp_above<Scalar>>(ClampMax{}, Out<ClampMax, "out">{}),
                 forms<&clamp_above<Tensor>>(ClampMaxTensor{}, Out<ClampMaxTensor, "Tensor_out">{})});
}

}  // namespace gpucheck::tensor::operators::in_arithmetic::extrema
