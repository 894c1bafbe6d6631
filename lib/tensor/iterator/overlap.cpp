#include "tensor/iterator/overlap.hpp"

#include <cstddef>

#include "base/error.hpp"

namespace gpucheck::tensor {
namespace {

struct Range {
  const std::byte* begin;
  const std::byte* end;
};

Range range_of(const Tensor& tensor) {
  const auto* const begin = tensor.data_as<const std::byte>();
  return {begin, begin + static_cast<std::size_t>(extent_of(tensor.geometry())) * element_bytes(tensor.dtype())};
}

/// Whether every place between the first and the last element is one.
bool is_dense(const Tensor& tensor) {
  return extent_of(tensor.geometry()) == tensor.count() && !may_overlap_itself(tensor.geometry());
}

}  // namespace

void require_no_internal_overlap(const Tensor& written) {
  // As PyTorch: only what is certain, a dimension that repeats its elements, is refused.
  if (written.is_contiguous()) return;
  for (std::size_t i = 0; i < written.sizes().size(); ++i) {
    if (written.sizes()[i] > 1 && written.strides()[i] == 0) {
      throw Error(
          "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
          "Please clone() the tensor before performing the operation.");
    }
  }
}

void require_no_partial_overlap(const Tensor& written, const Tensor& read) {
  if (written.is_same(read) || written.count() == 0 || read.count() == 0) return;
  if (!(written.storage() == read.storage())) return;
  // Where either has gaps, PyTorch does not find out, and refuses nothing.
  if (!is_dense(written) || !is_dense(read)) return;
  const Range a = range_of(written);
  const Range b = range_of(read);
  const bool is_whole = a.begin == b.begin && a.end == b.end && written.strides() == read.strides();
  if (is_whole || a.end <= b.begin || b.end <= a.begin) return;
  throw Error(
      "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
      "location. Please clone() the tensor before performing the operation.");
}

}  // namespace gpucheck::tensor
