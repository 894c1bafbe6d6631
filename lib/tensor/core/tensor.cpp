#include "tensor/core/tensor.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <vector>

#include "tensor/core/errors.hpp"

namespace gpucheck::tensor {
namespace {

bool is_contiguous(const Geometry& geometry) {
  std::int64_t step = 1;
  for (std::size_t i = geometry.sizes.size(); i-- > 0;) {
    if (geometry.sizes[i] == 0) return true;
    if (geometry.sizes[i] == 1) continue;
    if (geometry.strides[i] != step) return false;
    step *= geometry.sizes[i];
  }
  return true;
}

void require_fit(const Storage& storage, DType dtype, const Geometry& geometry) {
  if (geometry.strides.size() != geometry.sizes.size()) {
    throw Error(fmt::format("mismatch in length of strides and shape: {} and {}", to_text(geometry.strides),
                            to_text(geometry.sizes)));
  }
  if (std::ranges::any_of(geometry.strides, [](std::int64_t stride) { return stride < 0; })) {
    throw Error(fmt::format("as_strided: Negative strides are not supported at the moment, got strides: {}",
                            to_text(geometry.strides)));
  }
  const std::int64_t extent = extent_of(geometry);
  const auto needed = static_cast<std::uint64_t>(extent == 0 ? 0 : geometry.offset + extent) * element_bytes(dtype);
  if (needed > storage.bytes()) {
    throw Error(
        fmt::format("setStorage: sizes {}, strides {}, storage offset {}, and itemsize {} requiring a storage size "
                    "of {} are out of bounds for storage of size {}",
                    to_text(geometry.sizes), to_text(geometry.strides), geometry.offset, element_bytes(dtype), needed,
                    storage.bytes()));
  }
}

}  // namespace

Tensor::Tensor(Storage storage, DType dtype, Geometry geometry) {
  const std::int64_t count = element_count(geometry.sizes);
  require_fit(storage, dtype, geometry);
  const bool contiguous = tensor::is_contiguous(geometry);
  body_ = std::make_shared<Body>(Body{std::move(storage), std::move(geometry), count, dtype, contiguous});
}

std::int64_t Tensor::size(std::int64_t dimension) const {
  if (rank() == 0)
    throw IndexError("Dimension specified as " + std::to_string(dimension) + " but tensor has no dimensions");
  return sizes()[static_cast<std::size_t>(wrap_dimension(dimension, rank()))];
}

void* Tensor::data() const {
  auto* const first = static_cast<std::byte*>(body_->storage.data());
  if (first == nullptr) return nullptr;
  return first + static_cast<std::size_t>(offset()) * element_bytes(dtype());
}

Tensor Tensor::with_geometry(Geometry geometry) const { return {body_->storage, dtype(), std::move(geometry)}; }

void Tensor::replace(Storage storage, Geometry geometry) const {
  *body_ = std::move(*Tensor(std::move(storage), dtype(), std::move(geometry)).body_);
}

Tensor make_empty(const Sizes& sizes, DType dtype, Device device) {
  const auto bytes = static_cast<std::size_t>(element_count(sizes)) * element_bytes(dtype);
  return {Storage(bytes, device), dtype, {sizes, contiguous_strides(sizes), 0}};
}

Tensor make_empty_strided(const Sizes& sizes, const Sizes& strides, DType dtype, Device device) {
  Geometry geometry{sizes, strides, 0};
  if (std::ranges::any_of(strides, [](std::int64_t stride) { return stride < 0; })) {
    throw Error("Tensor: negative strides are not supported, got strides: " + to_text(strides));
  }
  static_cast<void>(element_count(sizes));
  const auto bytes = static_cast<std::size_t>(extent_of(geometry)) * element_bytes(dtype);
  return {Storage(bytes, device), dtype, std::move(geometry)};
}

void resize(const Tensor& tensor, const Sizes& sizes) {
  const std::int64_t end = tensor.offset() + element_count(sizes);
  const auto bytes = static_cast<std::size_t>(end) * element_bytes(tensor.dtype());
  if (bytes > tensor.storage().bytes()) tensor.storage().resize(bytes);
  tensor.replace(tensor.storage(), {sizes, contiguous_strides(sizes), tensor.offset()});
}

std::int64_t extent_of(const Geometry& geometry) noexcept {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < std::min(geometry.sizes.size(), geometry.strides.size()); ++i) {
    if (geometry.sizes[i] == 0) return 0;
    last += (geometry.sizes[i] - 1) * geometry.strides[i];
  }
  return last + 1;
}

bool may_overlap_itself(const Geometry& geometry) noexcept {
  // In order of strides, each must step over all that lies below it.
  boost::container::static_vector<std::size_t, max_rank> order;
  for (std::size_t i = 0; i < geometry.sizes.size(); ++i) {
    if (geometry.sizes[i] == 0) return false;
    if (geometry.sizes[i] > 1) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return geometry.strides[i]; });
  std::int64_t reach = 1;
  for (const std::size_t i : order) {
    if (geometry.strides[i] < reach) return true;
    reach += (geometry.sizes[i] - 1) * geometry.strides[i];
  }
  return false;
}

}  // namespace gpucheck::tensor
