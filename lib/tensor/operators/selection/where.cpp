#include <fmt/format.h>

#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/operands.hpp"
#include "tensor/operators/selection/kernels/selection.hpp"
#include "tensor/operators/selection/selection.hpp"

namespace gpucheck::tensor::operators::in_selection::where {
namespace {

namespace kernels = device::kernels;

/// Whether an operand's elements, of this many bytes, lie one after another from an aligned place.
bool lies_without_gaps(const Loop::Place& place, std::size_t bytes, std::size_t alignment) {
  return place.data != nullptr && element_bytes(place.dtype) == bytes &&
         place.strides[0] == static_cast<std::int64_t>(bytes) &&
         reinterpret_cast<std::uintptr_t>(place.data) % alignment == 0;
}

/// Runs the loop where it has elements of this size without gaps. Whether it did.
template <typename Bits>
bool run_contiguous(const Loop& loop) {
  using Kernel = kernels::ContiguousSelect<Bits>;
  if (loop.count() == 0 || loop.sizes().size() != 1) return false;
  const Loop::Places& places = loop.places();
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
    if (places[i].dtype != places[0].dtype) return false;
    if (!lies_without_gaps(places[i], sizeof(Bits), alignof(kernels::Vector<Bits>))) return false;
  }
  if (!lies_without_gaps(places[1], 1, alignof(typename Kernel::Flags))) return false;
  detail::run_kernel(Kernel{.condition = static_cast<const std::uint8_t*>(places[1].data),
                            .a = static_cast<const Bits*>(places[2].data),
                            .b = static_cast<const Bits*>(places[3].data),
                            .out = static_cast<Bits*>(places[0].data),
                            .elements = static_cast<std::size_t>(loop.count())},
                     loop.device());
  return true;
}

Tensor compute(const Destination& destination, const Tensor& condition, const Tensor& self, const Tensor& other) {
  if (condition.dtype() != DType::boolean && condition.dtype() != DType::uint8) {
    throw Error(fmt::format("where expected condition to be a boolean tensor, but got a tensor with dtype {}",
                            to_error_text(condition.dtype())));
  }
  const Loop loop(destination, {condition, self, other}, {.computed_dtype = common_dtype(self, other)});
  if (run_contiguous<std::uint16_t>(loop) || run_contiguous<std::uint32_t>(loop) ||
      run_contiguous<std::uint64_t>(loop)) {
    return loop.result();
  }
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      loop.computed_dtype(), "where_cuda",
      [&]<typename Number>(std::type_identity<Number>) { run_pointwise<3, Number>(loop, kernels::Select<Number>{}); });
  return loop.result();
}

}  // namespace

std::vector<Entry> define() { return structured<&compute>({.operations_per_element = 1}, WhereSelf{}, where_out); }

}  // namespace gpucheck::tensor::operators::in_selection::where
