#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/comparison/comparison.hpp"
#include "tensor/operators/comparison/kernels/comparison.hpp"
#include "tensor/operators/operands.hpp"

namespace gpucheck::tensor::operators::in_comparison::logical {
namespace {

namespace kernels = device::kernels;
using kernels::Relation;

Tensor run(const Loop& loop, Relation relation) {
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      loop.computed_dtype(), "logical_cuda", [&]<typename Number>(std::type_identity<Number>) {
        run_pointwise<2, Number>(loop, kernels::Compare<Number>{relation});
      });
  return loop.result();
}

template <Relation relation>
Tensor combine(const Destination& destination, const Tensor& self, const Tensor& other) {
  const DType computed = common_dtype(self, other);
  const Tensor left = as_computed(self, computed);
  const Tensor right = as_computed(other, computed);
  return run(Loop(destination, {left, right}, {.result_dtype = DType::boolean, .computed_dtype = computed}), relation);
}

/// Beside zero, or beside itself.
Tensor compare(const Destination& destination, const Tensor& self, Relation relation, const Operand& other) {
  const LoopOptions options{.result_dtype = DType::boolean, .computed_dtype = self.dtype()};
  return run(Loop(destination, {self, other}, options), relation);
}

Tensor compute_not(const Destination& destination, const Tensor& self) {
  const Scalar zero = 0;
  return compare(destination, self, Relation::equal, zero);
}

Tensor compute_isnan(const Destination& destination, const Tensor& self) {
  return compare(destination, self, Relation::not_equal, self);
}

template <Relation relation, typename Typed>
std::vector<Entry> all_forms() {
  return structured<&combine<relation>>({.operations_per_element = 1}, Typed{}, InPlace<Typed>{}, Out<Typed, "out">{});
}

}  // namespace

std::vector<Entry> define() {
  const Traits traits{.operations_per_element = 1};
  return joined({all_forms<Relation::both, LogicalAnd>(), all_forms<Relation::either, LogicalOr>(),
                 all_forms<Relation::one, LogicalXor>(),
                 structured<&compute_not>(traits, LogicalNot{}, InPlace<LogicalNot>{}, logical_not_out),
                 structured<&compute_isnan>(traits, IsNan{})});
}

}  // namespace gpucheck::tensor::operators::in_comparison::logical
