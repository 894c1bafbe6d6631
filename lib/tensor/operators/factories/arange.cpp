#include <cmath>

#include "tensor/core/errors.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/factories/kernels/ranges.hpp"

namespace gpucheck::tensor::operators::in_factories::arange {
namespace {

template <typename Number>
void fill_range(const Tensor& result, const Scalar& start, const Scalar& step) {
  device::kernels::Arange<Number> kernel{};
  kernel.out = result.data();
  kernel.dtype = result.dtype();
  kernel.elements = result.count();
  kernel.start = detail::number_of<Number>(start);
  kernel.step = detail::number_of<Number>(step);
  detail::run_kernel(kernel, result.device());
}

Tensor make_range(const Scalar& start, const Scalar& end, const Scalar& step, std::optional<DType> dtype,
                  std::optional<TensorLayout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  const bool is_whole = !start.is_floating() && !end.is_floating() && !step.is_floating();
  const DType type = dtype.value_or(is_whole ? DType::int64 : DType::float32);
  if (is_complex(type) || type == DType::boolean) refuse_dtype("arange_cuda", type);
  const double width = end.to_double() - start.to_double();
  if (step.to_double() == 0) throw Error("step must be nonzero");
  if (!std::isfinite(start.to_double()) || !std::isfinite(end.to_double())) {
    throw Error("unsupported range: " + start.text() + " -> " + end.text());
  }
  if ((step.to_double() > 0) != (width >= 0) && width != 0) {
    throw Error("upper bound and lower bound inconsistent with step sign");
  }
  const auto count =
      is_whole ? (end.to_int() - start.to_int() + step.to_int() - (step.to_int() > 0 ? 1 : -1)) / step.to_int()
               : static_cast<std::int64_t>(std::ceil(width / step.to_double()));
  const Tensor result = EmptyMemoryFormat{}({count}, type, layout, device, pin_memory);
  if (count == 0) return result;
  if (is_integral(type)) {
    fill_range<std::int64_t>(result, start, step);
  } else {
    fill_range<double>(result, start, step);
  }
  return result;
}

}  // namespace

std::vector<Entry> define() { return {ArangeStartStep::entry<&make_range>({})}; }

}  // namespace gpucheck::tensor::operators::in_factories::arange
