#include <fmt/format.h>

#include "tensor/call/operator.hpp"
#include "tensor/operators/comparison/comparison.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/operands.hpp"
#include "tensor/operators/reductions/reductions.hpp"

namespace gpucheck::tensor::operators::in_comparison::equal {
namespace {

bool compute(const Tensor& self, const Tensor& other) {
  if (self.device().is_host() && other.device().is_host() && self.dtype() != other.dtype()) {
    throw Error(
        fmt::format("Expected object of data type {} but got data type {} for argument 'other' in call to equal",
                    to_cpp_text(self.dtype()), to_cpp_text(other.dtype())));
  }
  if (self.sizes() != other.sizes()) return false;
  return item(sum(ne(self, other))) == Scalar(0);
}

}  // namespace

std::vector<Entry> define() { return {Equal::entry<&compute>({.operations_per_element = 1})}; }

}  // namespace gpucheck::tensor::operators::in_comparison::equal
