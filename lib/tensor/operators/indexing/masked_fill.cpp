#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/copies/support.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/indexing/indexing.hpp"
#include "tensor/operators/indexing/kernels/masked.hpp"

namespace gpucheck::tensor::operators::in_indexing::masked_fill {
namespace {

namespace kernels = device::kernels;

Tensor compute_scalar(const Destination& destination, const Tensor& self, const Tensor& mask, const Scalar& value) {
  if (mask.dtype() != DType::boolean) {
    throw Error(fmt::format("masked_fill only supports boolean masks, but got dtype {}", to_error_text(mask.dtype())));
  }
  const Tensor filling = in_copies::as_bits(full({}, value, self.dtype()));
  const Tensor bits = in_copies::as_bits(self);
  const Destination into{destination.form, destination.tensor.defined() ? bits : Tensor{}};
  const Loop loop(into, {bits, mask}, {.result_dtype = bits.dtype(), .computed_dtype = bits.dtype()});
  with_number<std::int64_t, kernels::Complex<double>>(
      bits.dtype(), "masked_fill_", [&]<typename Bits>(std::type_identity<Bits>) {
        const Bits value_bits = kernels::load_as<Bits>(filling.data(), filling.dtype());
        run_pointwise<2, Bits>(loop, kernels::FillMasked<Bits>{value_bits});
      });
  return {loop.result().storage(), self.dtype(), loop.result().geometry()};
}

Tensor compute_tensor(const Destination& destination, const Tensor& self, const Tensor& mask, const Tensor& value) {
  if (value.rank() != 0) {
    throw Error(
        fmt::format("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} "
                    "dimension(s).",
                    value.rank()));
  }
  return compute_scalar(destination, self, mask, item(value));
}

}  // namespace

std::vector<Entry> define() {
  return joined({structured<&compute_scalar>({}, MaskedFillScalar{}, InPlace<MaskedFillScalar>{}),
                 structured<&compute_tensor>({}, MaskedFillTensor{}, InPlace<MaskedFillTensor>{})});
}

}  // namespace gpucheck::tensor::operators::in_indexing::masked_fill
