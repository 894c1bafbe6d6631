#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/functions/activations.hpp"
#include "tensor/operators/functions/kernels/activations.hpp"

namespace gpucheck::tensor::operators::in_functions::prelu {
namespace {

namespace kernels = device::kernels;

Tensor compute_kernel(const Destination& destination, const Tensor& self, const Tensor& weight) {
  const Loop loop(destination, {self, weight});
  with_number<float, double>(loop.computed_dtype(), "prelu_cuda", [&]<typename Number>(std::type_identity<Number>) {
    run_pointwise<2, Number>(loop, kernels::Prelu<Number>{});
  });
  return loop.result();
}

void require_weights(const Tensor& self, const Tensor& weight) {
  if (self.dtype() != weight.dtype()) {
    throw Error(fmt::format("prelu: Type promoting not supported. Got {} and {}", to_error_text(self.dtype()),
                            to_error_text(weight.dtype())));
  }
  if (weight.count() != 1) {
    if (self.rank() == 0) throw Error("Not allow zero-dim input tensor.");
    const std::int64_t channels = self.rank() > 1 ? self.size(1) : 1;
    if (channels != weight.count()) {
      throw Error(
          fmt::format("Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and channel "
                      "size = {}.",
                      weight.count(), channels));
    }
  }
  if (weight.rank() > 1) {
    throw Error(fmt::format("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {}", weight.rank()));
  }
}

/// The weights along the second dimension, as a view that is broadcast.
Tensor along_channels(const Tensor& weight, const Tensor& self) {
  const auto rank = static_cast<std::size_t>(self.rank());
  Geometry geometry{Sizes(rank, 1), Sizes(rank, 1), weight.offset()};
  if (rank > 1 && weight.count() != 1) {
    geometry.sizes[1] = weight.count();
    geometry.strides[1] = weight.strides()[0];
  }
  return weight.with_geometry(geometry);
}

Tensor compute(const Tensor& self, const Tensor& weight) {
  require_weights(self, weight);
  return PreluKernel{}(self, along_channels(weight, self));
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.autocast = AutocastPolicy::lower_precision, .is_composite = true, .operations_per_element = 1};
  return joined(
      {structured<&compute_kernel>({.operations_per_element = 1}, PreluKernel{}), {Prelu::entry<&compute>(traits)}});
}

}  // namespace gpucheck::tensor::operators::in_functions::prelu
