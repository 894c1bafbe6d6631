#include "tensor/call/structured.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/copies/kernels/copying.hpp"
#include "tensor/operators/functions/functions.hpp"
#include "tensor/operators/functions/kernels/functions.hpp"

namespace gpucheck::tensor::operators::in_functions::elementary {
namespace {

namespace kernels = device::kernels;
using Function = kernels::ElementaryFunction;

void run_real(const Loop& loop, Function function, const std::string& name) {
  with_number<float, double>(loop.computed_dtype(), name, [&]<typename Number>(std::type_identity<Number>) {
    run_pointwise<1, Number>(loop, kernels::Elementary<Number>{function});
  });
}

void run_complex(const Loop& loop, kernels::ComplexFunction function) {
  with_number<kernels::Complex<float>, kernels::Complex<double>>(
      loop.computed_dtype(), "complex", [&]<typename Number>(std::type_identity<Number>) {
        run_pointwise<1, Number>(loop, kernels::OfComplex<Number>{function});
      });
}

template <typename Typed, Function function>
Tensor compute(const Destination& destination, const Tensor& self) {
  const Loop loop(destination, {self}, {.whole_to_float = true});
  if ((function == Function::exp || function == Function::log) && is_complex(self.dtype())) {
    run_complex(loop, function == Function::exp ? kernels::ComplexFunction::exp : kernels::ComplexFunction::log);
  } else {
    run_real(loop, function, std::string(Typed::schema.base_name) + "_cuda");
  }
  return loop.result();
}

template <typename Typed, Function function>
Tensor compute_rounded(const Destination& destination, const Tensor& self) {
  const std::string name(Typed::schema.base_name);
  if (is_complex(self.dtype()) && function != Function::round) {
    throw NotImplementedError(name + " is not supported for complex inputs");
  }
  const Loop loop(destination, {self});
  if (is_integral(self.dtype())) {
    run_pointwise<1, std::int64_t>(loop, kernels::CopyElement<std::int64_t>{});
  } else {
    run_real(loop, function, name + "_cuda");
  }
  return loop.result();
}

Tensor compute_atan2(const Destination& destination, const Tensor& self, const Tensor& other) {
  const Loop loop(destination, {self, other}, {.whole_to_float = true});
  with_number<float, double>(loop.computed_dtype(), "atan2_cuda", [&]<typename Number>(std::type_identity<Number>) {
    run_pointwise<2, Number>(loop, kernels::Atan2<Number>{});
  });
  return loop.result();
}

template <auto kernel, typename Typed>
std::vector<Entry> all_forms(AutocastPolicy autocast) {
  return structured<kernel>({.autocast = autocast, .operations_per_element = 1}, Typed{}, InPlace<Typed>{},
                            Out<Typed, "out">{});
}

template <typename Typed, Function function>
std::vector<Entry> plain() {
  return all_forms<&compute<Typed, function>, Typed>(AutocastPolicy::none);
}
/// What autocast has computed in float32.
template <typename Typed, Function function>
std::vector<Entry> wide() {
  return all_forms<&compute<Typed, function>, Typed>(AutocastPolicy::float32);
}
template <typename Typed, Function function>
std::vector<Entry> rounded() {
  return all_forms<&compute_rounded<Typed, function>, Typed>(AutocastPolicy::none);
}

}  // namespace

std::vector<Entry> define() {
  return joined({wide<Exp, Function::exp>(),        wide<Expm1, Function::expm1>(),
                 plain<Exp2, Function::exp2>(),     wide<Log, Function::log>(),
                 wide<Log2, Function::log2>(),      wide<Log10, Function::log10>(),
                 wide<Log1p, Function::log1p>(),    plain<Sin, Function::sin>(),
                 plain<Cos, Function::cos>(),       wide<Tan, Function::tan>(),
                 wide<Asin, Function::asin>(),      wide<Acos, Function::acos>(),
                 plain<Atan, Function::atan>(),     wide<Sinh, Function::sinh>(),
                 wide<Cosh, Function::cosh>(),      plain<Erf, Function::erf>(),
                 wide<Erfinv, Function::erfinv>(),  rounded<Floor, Function::floor>(),
                 rounded<Ceil, Function::ceil>(),   rounded<Round, Function::round>(),
                 rounded<Trunc, Function::trunc>(), all_forms<&compute_atan2, Atan2>(AutocastPolicy::promote)});
}

}  // namespace gpucheck::tensor::operators::in_functions::elementary
