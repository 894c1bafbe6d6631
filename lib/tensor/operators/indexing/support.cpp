#include "tensor/operators/indexing/support.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/error.hpp"
#include "tensor/iterator/overlap.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/indexing/kernels/indexed.hpp"

namespace gpucheck::tensor::operators::in_indexing {
namespace {

namespace kernels = device::kernels;

device::MemoryAccess access_to(const Tensor& tensor) {
  return device::strided(device::AccessMode::read, tensor.data(), element_bytes(tensor.dtype()), tensor.sizes(),
                         tensor.strides(), element_bytes(tensor.dtype()));
}

/// The plan of the loop, from the dimension that runs fastest, without dimensions of one turn and with those joined
/// that continue each other for all.
kernels::WidePlan<3> plan_of(const IndexedPlan& plan) {
  const std::array<const Looped*, 3> operands{&plan.dense, &plan.indexed, &plan.index};
  kernels::WidePlan<3> found{};
  for (std::size_t i = plan.shape.size(); i-- > 0;) {
    if (plan.shape[i] == 1) continue;
    std::array<std::int64_t, 3> strides{};
    bool continues = found.rank > 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      strides[k] = operands[k]->strides[i] * static_cast<std::int64_t>(element_bytes(operands[k]->tensor.dtype()));
      continues = continues && strides[k] == found.strides[found.rank - 1][k] * found.sizes[found.rank - 1];
    }
    if (continues) {
      found.sizes[found.rank - 1] *= plan.shape[i];
      continue;
    }
    found.sizes[found.rank] = plan.shape[i];
    std::ranges::copy(strides, found.strides[found.rank]);
    ++found.rank;
  }
  return found;
}

}  // namespace

void run_indexed(const IndexedPlan& plan, Transfer transfer) {
  kernels::IndexedLoop loop{};
  loop.turns = element_count(plan.shape);
  if (loop.turns == 0) return;
  const DType dtype = plan.dense.tensor.dtype();
  loop.dense = plan.dense.tensor.data();
  loop.indexed = plan.indexed.tensor.data();
  loop.index = plan.index.tensor.data();
  loop.is_32_bits = plan.index.tensor.dtype() == DType::int32;
  loop.from_the_end = plan.from_the_end;
  loop.size = plan.size;
  loop.step = plan.step * static_cast<std::int64_t>(element_bytes(dtype));
  loop.dtype = dtype;
  loop.element_size = element_bytes(dtype);
  loop.plan = plan_of(plan);
  loop.whole_indexed = access_to(plan.indexed.tensor);
  const Device device = plan.dense.tensor.device();
  if (transfer == Transfer::add) {
    detail::run_kernel(kernels::AddIndexed{loop}, device);
  } else {
    detail::run_kernel(kernels::MoveIndexed{loop, transfer == Transfer::put}, device);
  }
}

Tensor result_of(const Destination& destination, const Tensor& self, const Tensor& index, const Sizes& sizes) {
  const Tensor& there = destination.tensor;
  if (!there.defined()) return make_empty(sizes, self.dtype(), self.device());
  require_same_device(self, there);
  require_no_internal_overlap(there);
  require_no_partial_overlap(there, self);
  require_no_partial_overlap(there, index);
  if (there.sizes() != sizes) resize(there, sizes);
  return there;
}

Tensor filled_result(const Destination& destination, const Tensor& self) {
  const Tensor& there = destination.tensor;
  if (!there.defined()) return clone(self);
  require_no_internal_overlap(there);
  if (there.is_same(self)) return self;
  if (there.dtype() != self.dtype()) {
    throw Error(fmt::format("Expected out tensor to have the type of self, {}, but got {}", to_error_text(self.dtype()),
                            to_error_text(there.dtype())));
  }
  if (there.sizes() != self.sizes()) resize(there, self.sizes());
  return copy_(there, self);
}

std::optional<std::int64_t> index_outside(const Tensor& index, std::int64_t size, bool from_the_end) {
  if (!index.device().is_host()) return std::nullopt;
  const Tensor numbers = contiguous(to(index, DType::int64));
  const auto* const first = numbers.data_as<const std::int64_t>();
  for (std::int64_t i = 0; i < numbers.count(); ++i) {
    if (first[i] >= size || first[i] < (from_the_end ? -size : 0)) return first[i];
  }
  return std::nullopt;
}

void require_index_dtype(const Tensor& index, std::string_view name) {
  if (index.dtype() == DType::int64 || index.dtype() == DType::int32) return;
  throw Error(fmt::format("{}(): Expected dtype int32/int64 for index", name));
}

void require_same_device(const Tensor& self, const Tensor& other) {
  if (self.device() == other.device()) return;
  throw Error(fmt::format("Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
                          self.device().text(), other.device().text()));
}

}  // namespace gpucheck::tensor::operators::in_indexing
