#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/bits/bits.hpp"
#include "tensor/operators/bits/kernels/bits.hpp"

namespace gpucheck::tensor::operators::in_bits::bitwise {
namespace {

namespace kernels = device::kernels;
using kernels::BitOperation;

Tensor run(const Loop& loop, BitOperation operation, std::string_view name) {
  with_number<std::int64_t>(loop.computed_dtype(), name, [&]<typename Number>(std::type_identity<Number>) {
    run_pointwise<2, Number>(loop, kernels::CombineBits<Number>{operation});
  });
  return loop.result();
}

std::string_view name_of(BitOperation operation) {
  if (operation == BitOperation::conjunction) return "bitwise_and_cuda";
  return operation == BitOperation::disjunction ? "bitwise_or_cuda" : "bitwise_xor_cuda";
}

template <BitOperation operation, typename Self, typename Other>
Tensor compute(const Destination& destination, const Self& self, const Other& other) {
  return run(Loop(destination, {self, other}), operation, name_of(operation));
}

/// The difference from a number whose bits are all set: of booleans from true.
Tensor compute_not(const Destination& destination, const Tensor& self) {
  const Scalar all_bits = self.dtype() == DType::boolean ? Scalar(true) : Scalar(-1);
  const Loop loop(destination, {self, all_bits}, {.computed_dtype = self.dtype()});
  return run(loop, BitOperation::difference, "bitwise_not_cuda");
}

/// An operator's forms for two tensors, and for a number on either side.
template <BitOperation operation, typename OfTensors, typename WithScalar, typename OfScalar>
std::vector<Entry> all_forms() {
  const Traits traits{.operations_per_element = 1};
  return joined({structured<&compute<operation, Tensor, Tensor>>(traits, OfTensors{}, InPlace<OfTensors>{},
                                                                 Out<OfTensors, "Tensor_out">{}),
                 structured<&compute<operation, Tensor, Scalar>>(traits, WithScalar{}, InPlace<WithScalar>{},
                                                                 Out<WithScalar, "Scalar_out">{}),
                 structured<&compute<operation, Scalar, Tensor>>(traits, OfScalar{})});
}

}  // namespace

std::vector<Entry> define() {
  return joined(
      {all_forms<BitOperation::conjunction, BitwiseAndTensor, BitwiseAndScalar, BitwiseAndOfScalar>(),
       all_forms<BitOperation::disjunction, BitwiseOrTensor, BitwiseOrScalar, BitwiseOrOfScalar>(),
       all_forms<BitOperation::difference, BitwiseXorTensor, BitwiseXorScalar, BitwiseXorOfScalar>(),
       structured<&compute_not>({.operations_per_element = 1}, BitwiseNot{}, InPlace<BitwiseNot>{}, bitwise_not_out)});
}

}  // namespace gpucheck::tensor::operators::in_bits::bitwise
