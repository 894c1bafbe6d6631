#include <string>

#include "tensor/call/structured.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/iterator/reduction.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/reductions/kernels/extremes.hpp"
#include "tensor/operators/reductions/reductions.hpp"
#include "tensor/operators/reductions/support.hpp"

/// Extremes with the index of each.
namespace gpucheck::tensor::operators::in_reductions::placed_extremes {
namespace {

namespace kernels = device::kernels;

enum class Which { smallest, largest };
using ValuesAndIndices = std::tuple<Tensor, Tensor>;

ValuesAndIndices reduce(const Tensor& values, const Tensor& indices, const Tensor& self, std::int64_t dimension,
                        bool keep, Which which) {
  const Reduction reduction({values.defined() ? Form::out : Form::functional, values}, self,
                            {.dimensions = Sizes{dimension},
                             .keep_dimensions = keep,
                             .result_dtype = self.dtype(),
                             .second_dtype = DType::int64,
                             .second = indices});
  with_number<float, double, std::int64_t>(self.dtype(), which == Which::smallest ? "min_cuda" : "max_cuda",
                                           [&]<typename Number>(std::type_identity<Number>) {
                                             run_reduction<Number>(
                                                 reduction, kernels::PlacedExtreme<Number>{which == Which::smallest});
                                           });
  return {reduction.result(), reduction.second()};
}

void refuse_complex(const Tensor& self, std::string_view name) {
  if (is_complex(self.dtype())) throw Error(std::string(name) + "(): does not support complex input");
}

template <Which which>
ValuesAndIndices compute(const Tensor& self, std::int64_t dimension, bool keep) {
  const std::string_view name = which == Which::smallest ? "min" : "max";
  require_elements(self, dimension, name);
  refuse_complex(self, name);
  return reduce({}, {}, self, dimension, keep, which);
}

template <Which which>
ValuesAndIndices compute_out(const Tensor& self, std::int64_t dimension, bool keep, const Tensor& values,
                             const Tensor& indices) {
  const std::string_view name = which == Which::smallest ? "min" : "max";
  require_elements(self, dimension, name);
  refuse_complex(self, name);
  require_dtype_of_out({Form::out, values}, self.dtype());
  require_dtype_of_out({Form::out, indices}, DType::int64);
  static_cast<void>(reduce(values, indices, self, dimension, keep, which));
  values.count_write();
  indices.count_write();
  return {values, indices};
}

/// Without a dimension: of all elements in their order, and a result with as many dimensions where those are kept.
template <Which which>
Tensor compute_index(const Destination& destination, const Tensor& self, std::optional<std::int64_t> dimension,
                     bool keep) {
  const std::string name = which == Which::smallest ? "argmin" : "argmax";
  refuse_complex(self, name);
  if (self.dtype() == DType::boolean) throw Error(name + "(): does not support bool input");
  require_dtype_of_out(destination, DType::int64);
  if (dimension) {
    require_elements(self, *dimension, name);
    return std::get<1>(reduce({}, destination.tensor, self, *dimension, keep, which));
  }
  if (self.count() == 0) {
    throw IndexError(name + "(): Expected reduction dim to be specified for input.numel() == 0.");
  }
  const Tensor all = contiguous(self);
  const Tensor row = all.with_geometry({{all.count()}, {1}, all.offset()});
  if (destination.tensor.defined()) {
    static_cast<void>(reduce({}, destination.tensor, row, 0, false, which));
    if (keep) resize(destination.tensor, Sizes(self.sizes().size(), 1));
    return destination.tensor;
  }
  const Tensor index = std::get<1>(reduce({}, {}, row, 0, false, which));
  const Sizes ones(keep ? self.sizes().size() : 0, 1);
  return index.with_geometry({ones, ones, 0});
}

}  // namespace

std::vector<Entry> define() {
  std::vector<Entry> with_values{
      MaxDimension::entry<&compute<Which::largest>>({}), MaxDimensionOut::entry<&compute_out<Which::largest>>({}),
      MinDimension::entry<&compute<Which::smallest>>({}), MinDimensionOut::entry<&compute_out<Which::smallest>>({})};
  return joined({std::move(with_values), structured<&compute_index<Which::largest>>({}, ArgMax{}, argmax_out),
                 structured<&compute_index<Which::smallest>>({}, ArgMin{}, argmin_out)});
}

}  // namespace gpucheck::tensor::operators::in_reductions::placed_extremes
