#include "tensor/operators/functions/activations.hpp"

#include "tensor/call/structured.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/arithmetic/kernels/extrema.hpp"
#include "tensor/operators/functions/functions.hpp"
#include "tensor/operators/functions/kernels/activations.hpp"
#include "tensor/operators/functions/kernels/functions.hpp"

namespace gpucheck::tensor::operators::in_functions::activations {
namespace {

namespace kernels = device::kernels;
using kernels::ActivationFunction;
using kernels::RectifierFunction;

Tensor run(const Loop& loop, ActivationFunction function, std::string_view name) {
  with_number<float, double>(loop.computed_dtype(), name, [&]<typename Number>(std::type_identity<Number>) {
    run_pointwise<1, Number>(loop, kernels::Activation<Number>{function});
  });
  return loop.result();
}

Tensor compute_tanh(const Destination& destination, const Tensor& self) {
  return run(Loop(destination, {self}, {.whole_to_float = true}), ActivationFunction::tanh, "tanh_cuda");
}

Tensor compute_sigmoid(const Destination& destination, const Tensor& self) {
  const Loop loop(destination, {self}, {.whole_to_float = true});
  if (!is_complex(self.dtype())) return run(loop, ActivationFunction::sigmoid, "sigmoid_cuda");
  with_number<kernels::Complex<float>, kernels::Complex<double>>(
      self.dtype(), "sigmoid_cuda", [&]<typename Number>(std::type_identity<Number>) {
        run_pointwise<1, Number>(loop, kernels::OfComplex<Number>{kernels::ComplexFunction::sigmoid});
      });
  return loop.result();
}

Tensor compute_silu(const Destination& destination, const Tensor& self) {
  return run(Loop(destination, {self}), ActivationFunction::silu, "silu_cuda");
}

Tensor compute_gelu(const Destination& destination, const Tensor& self, const std::string& approximate) {
  if (approximate != "none" && approximate != "tanh") {
    throw Error("approximate argument must be either none or tanh.");
  }
  const auto function = approximate == "none" ? ActivationFunction::gelu : ActivationFunction::gelu_by_tanh;
  return run(Loop(destination, {self}), function, "GeluCUDAKernelImpl");
}

/// The greater of the number and 0.
Tensor compute_relu(const Destination& destination, const Tensor& self) {
  if (self.dtype() == DType::boolean) throw Error("Boolean inputs not supported for relu");
  if (is_complex(self.dtype())) throw NotImplementedError("clamp is not supported for complex types");
  const Scalar zero = 0;
  const Loop loop(destination, {self, zero}, {.computed_dtype = self.dtype()});
  with_number<float, double, std::int64_t>(self.dtype(), "clamp_min_scalar_cuda",
                                           [&]<typename Number>(std::type_identity<Number>) {
                                             run_pointwise<2, Number>(loop, kernels::Extremum<Number>{false});
                                           });
  return loop.result();
}

template <typename... Numbers>
Tensor run_rectifier(const Destination& destination, const Tensor& self, RectifierFunction function,
                     std::string_view name, const Scalar& first, const Scalar& second) {
  const Loop loop(destination, {self});
  if (self.dtype() == DType::boolean) refuse_dtype(name, self.dtype());
  with_number<Numbers...>(self.dtype(), name, [&]<typename Number>(std::type_identity<Number>) {
    run_pointwise<1, Number>(loop, kernels::Rectifier<Number>{function, detail::number_of<Number>(first),
                                                              detail::number_of<Number>(second)});
  });
  return loop.result();
}

Tensor compute_threshold(const Destination& destination, const Tensor& self, const Scalar& threshold,
                         const Scalar& value) {
  return run_rectifier<float, double, std::int64_t>(destination, self, RectifierFunction::threshold, "threshold_cuda",
                                                    threshold, value);
}
Tensor compute_leaky_relu(const Destination& destination, const Tensor& self, const Scalar& negative_slope) {
  return run_rectifier<float, double>(destination, self, RectifierFunction::leaky_relu, "leaky_relu_cuda",
                                      negative_slope, 0);
}
Tensor compute_softplus(const Destination& destination, const Tensor& self, const Scalar& beta,
                        const Scalar& threshold) {
  return run_rectifier<float, double>(destination, self, RectifierFunction::softplus, "softplus_cuda", beta, threshold);
}

template <auto kernel, typename Typed>
std::vector<Entry> all_forms() {
  return structured<kernel>({.operations_per_element = 1}, Typed{}, InPlace<Typed>{}, Out<Typed, "out">{});
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.operations_per_element = 1};
  const Traits in_float32{.autocast = AutocastPolicy::float32, .operations_per_element = 1};
  return joined({all_forms<&compute_tanh, Tanh>(), all_forms<&compute_sigmoid, Sigmoid>(),
                 all_forms<&compute_silu, Silu>(), all_forms<&compute_gelu, Gelu>(),
                 all_forms<&compute_threshold, Threshold>(), all_forms<&compute_leaky_relu, LeakyRelu>(),
                 structured<&compute_relu>(traits, Relu{}, InPlace<Relu>{}),
                 structured<&compute_softplus>(in_float32, Softplus{}, softplus_out)});
}

}  // namespace gpucheck::tensor::operators::in_functions::activations
