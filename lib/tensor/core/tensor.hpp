#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/dtype.hpp"
#include "tensor/core/sizes.hpp"
#include "tensor/core/storage.hpp"

namespace gpucheck::tensor {

/// How a tensor's elements lie in its storage. Strides and offset in elements.
struct Geometry {
  Sizes sizes;
  Sizes strides;
  std::int64_t offset = 0;
  bool operator==(const Geometry&) const = default;
};

/// An array of elements of one type: a cheap handle to storage, type and geometry. Copies are the same tensor; views
/// are other tensors with the same storage, and count its writes together. A default one is undefined: no tensor.
class Tensor {
 public:
  Tensor() noexcept = default;
  /// @throws Error where the storage has too few bytes for the geometry.
  Tensor(Storage storage, DType dtype, Geometry geometry);

  [[nodiscard]] bool defined() const noexcept { return body_ != nullptr; }
  [[nodiscard]] DType dtype() const noexcept { return body_->dtype; }
  [[nodiscard]] Device device() const noexcept { return body_->storage.device(); }
  [[nodiscard]] const Sizes& sizes() const noexcept { return body_->geometry.sizes; }
  [[nodiscard]] const Sizes& strides() const noexcept { return body_->geometry.strides; }
  [[nodiscard]] std::int64_t offset() const noexcept { return body_->geometry.offset; }
  [[nodiscard]] const Geometry& geometry() const noexcept { return body_->geometry; }
  /// How many dimensions.
  [[nodiscard]] std::int64_t rank() const noexcept { return static_cast<std::int64_t>(sizes().size()); }
  /// The size of a dimension, counted from the end where it is negative. @throws IndexError.
  [[nodiscard]] std::int64_t size(std::int64_t dimension) const;
  /// How many elements.
  [[nodiscard]] std::int64_t count() const noexcept { return body_->count; }
  /// Whether the elements lie one after another, the last dimension's next to each other.
  [[nodiscard]] bool is_contiguous() const noexcept { return body_->is_contiguous; }
  [[nodiscard]] bool is_pinned() const noexcept { return body_->storage.pinned_by() != nullptr; }

  [[nodiscard]] const Storage& storage() const noexcept { return body_->storage; }
  /// The first element. @throws Error where access to the storage is refused.
  [[nodiscard]] void* data() const;
  template <typename T>
  [[nodiscard]] T* data_as() const {
    return static_cast<T*>(data());
  }
  /// See Storage::version: shared by all views.
  [[nodiscard]] std::uint64_t version() const noexcept { return body_->storage.version(); }
  void count_write() const noexcept { body_->storage.count_write(); }

  /// Another tensor with the same storage and type. @throws as the constructor does.
  [[nodiscard]] Tensor with_geometry(Geometry geometry) const;
  /// This very tensor gets another storage or geometry: what PyTorch's `set_` and `resize_` do to all its handles.
  void replace(Storage storage, Geometry geometry) const;

  /// Whether both are the same tensor, not only the same memory.
  [[nodiscard]] bool is_same(const Tensor& other) const noexcept { return body_ == other.body_; }
  /// The same number for every handle of one tensor while there is one.
  [[nodiscard]] std::uintptr_t identity() const noexcept { return reinterpret_cast<std::uintptr_t>(body_.get()); }
  [[nodiscard]] long use_count() const noexcept { return body_.use_count(); }

 private:
  friend class WeakTensor;
  struct Body {
    Storage storage;
    Geometry geometry;
    std::int64_t count = 0;
    DType dtype = DType::float32;
    bool is_contiguous = false;
  };
  explicit Tensor(std::shared_ptr<Body> body) noexcept : body_(std::move(body)) {}

  std::shared_ptr<Body> body_;
};

/// Watches a tensor without keeping it alive.
class WeakTensor {
 public:
  WeakTensor() noexcept = default;
  explicit WeakTensor(const Tensor& tensor) noexcept : body_(tensor.body_) {}
  /// The tensor; undefined once it is gone.
  [[nodiscard]] Tensor lock() const noexcept { return Tensor(body_.lock()); }

 private:
  std::weak_ptr<Tensor::Body> body_;
};

/// A new contiguous tensor whose elements are undefined: on a device in a block for the calling thread's current
/// stream.
/// @throws as Storage and element_count do.
[[nodiscard]] Tensor make_empty(const Sizes& sizes, DType dtype, Device device);
/// The same with strides of its own, which may repeat elements. @throws also Error for a negative stride.
[[nodiscard]] Tensor make_empty_strided(const Sizes& sizes, const Sizes& strides, DType dtype, Device device);

/// The tensor gets other sizes, its elements one after another, and more memory where it needs it: PyTorch's `resize_`.
/// What is behind the elements that were there is undefined. @throws as Storage::resize does.
void resize(const Tensor& tensor, const Sizes& sizes);

/// Elements from the first to the last that the geometry reaches, with gaps, none without elements. Strides not below
/// 0.
[[nodiscard]] std::int64_t extent_of(const Geometry& geometry) noexcept;
/// Whether two elements may lie at one place: never said of those that lie apart, but of some whose strides are odd.
[[nodiscard]] bool may_overlap_itself(const Geometry& geometry) noexcept;

}  // namespace gpucheck::tensor
