#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/arithmetic/kernels/arithmetic.hpp"
#include "tensor/operators/arithmetic/kernels/quotients.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/operands.hpp"

namespace gpucheck::tensor::operators::in_arithmetic::div {
namespace {

namespace kernels = device::kernels;
using kernels::QuotientOperation;
using Mode = std::optional<std::string>;

template <typename Other>
Tensor divide(const Destination& destination, const Tensor& self, const Other& other) {
  const Loop loop(destination, {self, other}, {.whole_to_float = true});
  with_number<float, double, kernels::Complex<float>, kernels::Complex<double>>(
      loop.computed_dtype(), "div_true_cuda",
      [&]<typename Number>(std::type_identity<Number>) { run_pointwise<2, Number>(loop, kernels::Div<Number>{}); });
  return loop.result();
}

bool has_zero(const Tensor& tensor) {
  const Tensor elements = contiguous(tensor);
  const auto* element = elements.data_as<const std::byte>();
  for (std::int64_t i = 0; i < elements.count(); ++i, element += element_bytes(elements.dtype())) {
    if (kernels::load_as<std::int64_t>(element, elements.dtype()) == 0) return true;
  }
  return false;
}

/// What a host's processor would stop at. A device does not.
void require_divisor(const Loop& loop, const Operand& divisor) {
  if (!loop.device().is_host() || !is_integral(loop.computed_dtype()) || loop.count() == 0) return;
  const bool is_zero =
      divisor.tensor() != nullptr ? has_zero(*divisor.tensor()) : loop.places().back().number.to_int() == 0;
  if (is_zero) throw Error("ZeroDivisionError");
}

std::string_view name_of(QuotientOperation operation) {
  switch (operation) {
    case QuotientOperation::truncated:
      return "div_trunc_cuda";
    case QuotientOperation::floored:
      return "div_floor_cuda";
    case QuotientOperation::fmod:
      return "fmod_cuda";
    default:
      return "remainder_cuda";
  }
}

template <QuotientOperation operation, typename Self, typename Other>
Tensor divide_whole(const Destination& destination, const Self& self, const Other& other) {
  const DType computed = common_dtype(self, other);
  const auto dividend = as_computed(self, computed);
  const auto divisor = as_computed(other, computed);
  const Loop loop(destination, {dividend, divisor}, {.computed_dtype = computed});
  if (computed == DType::boolean) refuse_dtype(name_of(operation), computed);
  require_divisor(loop, divisor);
  with_number<float, double, std::int64_t>(computed, name_of(operation),
                                           [&]<typename Number>(std::type_identity<Number>) {
                                             run_pointwise<2, Number>(loop, kernels::Quotient<Number>{operation});
                                           });
  return loop.result();
}

template <typename Other>
Tensor divide_with_mode(const Destination& destination, const Tensor& self, const Other& other, const Mode& mode) {
  if (!mode) return divide(destination, self, other);
  if (*mode == "trunc") return divide_whole<QuotientOperation::truncated>(destination, self, other);
  if (*mode == "floor") return divide_whole<QuotientOperation::floored>(destination, self, other);
  throw Error(fmt::format("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'", *mode));
}

template <QuotientOperation operation, typename Self = Tensor, typename Other = Tensor>
inline constexpr auto whole = &divide_whole<operation, Self, Other>;

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.operations_per_element = 1};
  constexpr auto floored = QuotientOperation::floored;
  constexpr auto remainder = QuotientOperation::remainder;
  constexpr auto fmod = QuotientOperation::fmod;
  return joined({structured<&divide<Tensor>>(traits, DivTensor{}, InPlace<DivTensor>{}, Out<DivTensor, "out">{}),
                 structured<&divide<Scalar>>(traits, DivScalar{}, InPlace<DivScalar>{}),
                 structured<&divide_with_mode<Tensor>>(traits, DivTensorMode{}, InPlace<DivTensorMode>{},
                                                       Out<DivTensorMode, "out_mode">{}),
                 structured<&divide_with_mode<Scalar>>(traits, DivScalarMode{}, InPlace<DivScalarMode>{}),
                 structured<whole<floored>>(traits, FloorDivide{}, FloorDivideInPlace{}, floor_divide_out),
                 structured<whole<floored, Tensor, Scalar>>(traits, FloorDivideScalar{}, InPlace<FloorDivideScalar>{}),
                 structured<whole<remainder>>(traits, RemainderTensor{}, InPlace<RemainderTensor>{},
                                              Out<RemainderTensor, "Tensor_out">{}),
                 structured<whole<remainder, Tensor, Scalar>>(traits, RemainderScalar{}, InPlace<RemainderScalar>{},
                                                              Out<RemainderScalar, "Scalar_out">{}),
                 structured<whole<remainder, Scalar, Tensor>>(traits, RemainderOfScalar{}),
                 structured<whole<fmod>>(traits, FmodTensor{}, InPlace<FmodTensor>{}, Out<FmodTensor, "Tensor_out">{}),
                 structured<whole<fmod, Tensor, Scalar>>(traits, FmodScalar{}, InPlace<FmodScalar>{},
                                                         Out<FmodScalar, "Scalar_out">{})});
}

}  // namespace gpucheck::tensor::operators::in_arithmetic::div
