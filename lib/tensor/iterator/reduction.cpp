#include "tensor/iterator/reduction.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "base/error.hpp"
#include "tensor/iterator/overlap.hpp"

namespace gpucheck::tensor {
namespace {

/// Which dimensions are reduced. @throws IndexError, Error for one that is named twice.
boost::container::static_vector<bool, max_rank> reduced_dimensions(const Tensor& self,
                                                                   const std::optional<Sizes>& dimensions) {
  const bool all = !dimensions || dimensions->empty();
  boost::container::static_vector<bool, max_rank> reduced(self.sizes().size(), all);
  if (all) return reduced;
  for (const std::int64_t dimension : *dimensions) {
    const auto place = static_cast<std::size_t>(wrap_dimension(dimension, self.rank()));
    if (place >= reduced.size()) continue;  // of a tensor without dimensions
    if (reduced[place]) throw Error(fmt::format("dim {} appears multiple times in the list of dims", place));
    reduced[place] = true;
  }
  return reduced;
}

Sizes result_sizes(const Tensor& self, const boost::container::static_vector<bool, max_rank>& reduced, bool keep) {
  Sizes sizes;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) sizes.push_back(self.sizes()[i]);
    if (reduced[i] && keep) sizes.push_back(1);
  }
  return sizes;
}

void join_neighbours(Reduction::Dimensions& dimensions) {
  std::ranges::stable_sort(dimensions, {}, &Reduction::Dimension::in_stride);
  std::size_t last = 0;
  for (std::size_t i = 1; i < dimensions.size(); ++i) {
    Reduction::Dimension& kept = dimensions[last];
    const Reduction::Dimension& next = dimensions[i];
    if (kept.in_stride * kept.size == next.in_stride && kept.out_stride * kept.size == next.out_stride &&
        kept.second_stride * kept.size == next.second_stride) {
      kept.size *= next.size;
    } else {
      dimensions[++last] = next;
    }
  }
  if (!dimensions.empty()) dimensions.resize(last + 1);
}

/// A new tensor, or the one that is there, checked and resized.
Tensor result_for(const Tensor& there, const Tensor& self, const Sizes& sizes, DType dtype) {
  if (!there.defined()) return make_empty(sizes, dtype, self.device());
  if (there.device() != self.device()) {
    throw Error(fmt::format("Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
                            there.device().text(), self.device().text()));
  }
  require_no_internal_overlap(there);
  require_no_partial_overlap(there, self);
  if (there.sizes() != sizes) resize(there, sizes);
  return there;
}

/// Between neighbours of the dimension, in bytes.
std::int64_t stride_of(const Tensor& tensor, std::size_t dimension) {
  return tensor.strides()[dimension] * static_cast<std::int64_t>(element_bytes(tensor.dtype()));
}

constexpr std::int64_t least_elements = 16;  // of each thread, where a result is shared

unsigned power_of_two_up_to(std::int64_t number, unsigned most) {
  unsigned power = 1;
  while (power < most && power < number) power *= 2;
  return power;
}

}  // namespace

Reduction::Reduction(const Destination& destination, const Tensor& self, const ReductionOptions& options)
    : self_(self) {
  const auto reduced = reduced_dimensions(self, options.dimensions);
  const Sizes sizes = result_sizes(self, reduced, options.keep_dimensions);
  result_ = result_for(destination.tensor, self, sizes, options.result_dtype);
  if (options.second_dtype) second_ = result_for(options.second, self, sizes, *options.second_dtype);
  std::size_t left = 0;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    Dimension dimension{.size = self.sizes()[i], .in_stride = stride_of(self, i)};
    if (!reduced[i]) {
      dimension.out_stride = stride_of(result_, left);
      if (second_.defined()) dimension.second_stride = stride_of(second_, left);
    }
    if (!reduced[i] || options.keep_dimensions) ++left;
    (reduced[i] ? reduced_ : results_) *= dimension.size;
    if (dimension.size != 1) (reduced[i] ? over_elements_ : over_results_).push_back(dimension);
  }
  join_neighbours(over_results_);
  join_neighbours(over_elements_);
}

device::kernels::ReductionShape block_shape(std::int64_t results, std::int64_t elements, bool elements_fastest) {
  constexpr unsigned most_threads = 256;
  device::kernels::ReductionShape shape{.elements_fastest = elements_fastest, .slice = elements};
  if (elements_fastest) {
    shape.lanes = power_of_two_up_to(std::max<std::int64_t>(elements / 4, 1), most_threads);
    shape.outputs = most_threads / std::max(shape.lanes, 32U);
    if (shape.lanes < 32) shape.outputs = most_threads / 32 * (32 / shape.lanes);
  } else {
    shape.outputs = power_of_two_up_to(results, 32);
    shape.lanes =
        power_of_two_up_to(std::max<std::int64_t>(elements / least_elements, 1), most_threads / shape.outputs);
  }
  shape.outputs = std::min(shape.outputs, power_of_two_up_to(results, most_threads));
  return shape;
}

device::kernels::ReductionShape Reduction::shape(int multiprocessors, std::size_t accumulated_bytes) const {
  constexpr std::int64_t blocks_of_multiprocessor = 8;  // so that all have work to the end
  const auto fastest_stride = [](const Dimensions& dimensions) {
    return dimensions.empty() ? INT64_MAX : dimensions[0].in_stride;
  };
  device::kernels::ReductionShape shape =
      block_shape(results_, reduced_, fastest_stride(over_elements_) <= fastest_stride(over_results_));
  const std::int64_t groups = (results_ + shape.outputs - 1) / shape.outputs;
  const std::int64_t wanted =
      std::int64_t{multiprocessors} * blocks_of_multiprocessor / std::max<std::int64_t>(groups, 1);
  const std::int64_t possible = reduced_ / (shape.lanes * least_elements * 4);
  // What the slices' results take must stay little beside what is read.
  const std::int64_t affordable = reduced_ * static_cast<std::int64_t>(element_bytes(self_.dtype())) /
                                  (8 * static_cast<std::int64_t>(accumulated_bytes));
  shape.slices = std::max<std::int64_t>(1, std::min({wanted, possible, affordable}));
  // A power of two where there are several: of equal elements every slice then has the same sum, whose multiples are
  // exact for as long as a floating type holds them.
  shape.slice = (reduced_ + shape.slices - 1) / shape.slices;
  if (shape.slices > 1) shape.slice = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(shape.slice)));
  if (reduced_ > 0) shape.slices = (reduced_ + shape.slice - 1) / shape.slice;
  return shape;
}

}  // namespace gpucheck::tensor
