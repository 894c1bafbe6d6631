#include "tensor/call/structured.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/comparison/comparison.hpp"
#include "tensor/operators/comparison/kernels/comparison.hpp"
#include "tensor/operators/operands.hpp"

namespace gpucheck::tensor::operators::in_comparison::compare {
namespace {

namespace kernels = device::kernels;
using kernels::Relation;

void run_compare(const Loop& loop, Relation relation) {
  const bool needs_order = relation >= Relation::less && relation <= Relation::greater_or_equal;
  if (needs_order && is_complex(loop.computed_dtype())) refuse_dtype("compare_cuda", loop.computed_dtype());
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      loop.computed_dtype(), "compare_cuda", [&]<typename Number>(std::type_identity<Number>) {
        run_pointwise<2, Number>(loop, kernels::Compare<Number>{relation});
      });
}

template <Relation relation, typename Other>
Tensor compute(const Destination& destination, const Tensor& self, const Other& other) {
  const DType computed = common_dtype(self, other, relation == Relation::equal || relation == Relation::not_equal);
  const auto left = as_computed(self, computed);
  const auto right = as_computed(other, computed);
  const Loop loop(destination, {left, right}, {.result_dtype = DType::boolean, .computed_dtype = computed});
  run_compare(loop, relation);
  return loop.result();
}

/// An operator's forms for a tensor and for a number.
template <Relation relation, typename OfTensors, typename OfScalar>
std::vector<Entry> all_forms() {
  const Traits traits{.operations_per_element = 1};
  return joined(
      {structured<&compute<relation, Tensor>>(traits, OfTensors{}, InPlace<OfTensors>{},
                                              Out<OfTensors, "Tensor_out">{}),
       structured<&compute<relation, Scalar>>(traits, OfScalar{}, InPlace<OfScalar>{}, Out<OfScalar, "Scalar_out">{})});
}

}  // namespace

std::vector<Entry> define() {
  return joined({all_forms<Relation::equal, EqTensor, EqScalar>(), all_forms<Relation::not_equal, NeTensor, NeScalar>(),
                 all_forms<Relation::less, LtTensor, LtScalar>(),
                 all_forms<Relation::less_or_equal, LeTensor, LeScalar>(),
                 all_forms<Relation::greater, GtTensor, GtScalar>(),
                 all_forms<Relation::greater_or_equal, GeTensor, GeScalar>()});
}

}  // namespace gpucheck::tensor::operators::in_comparison::compare
