#pragma once

#include <optional>
#include <string_view>

#include "tensor/iterator/destination.hpp"

/// What operators with an index share.
namespace gpucheck::tensor::operators::in_indexing {

/// A tensor as a loop goes through it: its strides for each dimension of the loop, in elements.
struct Looped {
  Tensor tensor;
  Sizes strides;
};

/// Elements that an index picks, or puts. All three tensors are on one device.
struct IndexedPlan {
  Sizes shape;                ///< of the loop
  Looped dense;               ///< what each turn reads or writes
  Looped indexed;             ///< where the index says it: 0 along the dimension of the index
  Looped index;               ///< int32 or int64
  std::int64_t size = 0;      ///< of the dimension of the index
  std::int64_t step = 0;      ///< of the indexed tensor along it, in elements
  bool from_the_end = false;  ///< indices below 0 count from the end
};

enum class Transfer { take, put, add };

/// Moves the elements: on a device by a launch on its current stream. On the host indices have been checked.
void run_indexed(const IndexedPlan& plan, Transfer transfer);

/// A tensor without dimensions has one here.
[[nodiscard]] inline Sizes at_least_one(const Sizes& values) { return values.empty() ? Sizes{1} : values; }

/// A new tensor of self's type, or the one that is there, checked and resized.
[[nodiscard]] Tensor result_of(const Destination& destination, const Tensor& self, const Tensor& index,
                               const Sizes& sizes);

/// A tensor whose elements are self's: self itself in place, a copy, or the one that is there.
[[nodiscard]] Tensor filled_result(const Destination& destination, const Tensor& self);

/// The first index that is outside a dimension of that size; none on a device, where the kernel asserts.
[[nodiscard]] std::optional<std::int64_t> index_outside(const Tensor& index, std::int64_t size, bool from_the_end);

/// @throws Error with PyTorch's text for an index of another type than int32 or int64, called in `name`().
void require_index_dtype(const Tensor& index, std::string_view name);

/// @throws Error where the tensors are not on one device.
void require_same_device(const Tensor& self, const Tensor& other);

}  // namespace gpucheck::tensor::operators::in_indexing
