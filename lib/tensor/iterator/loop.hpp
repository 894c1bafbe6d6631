#pragma once

#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>

#include "tensor/core/scalar.hpp"
#include "tensor/core/tensor.hpp"
#include "tensor/iterator/destination.hpp"

namespace gpucheck::tensor {

/// What an element-wise operator is given: a tensor, or a number of the host.
class Operand {
 public:
  // NOLINTBEGIN(google-explicit-constructor): either is meant wherever it is written
  Operand(const Tensor& tensor) noexcept : tensor_(&tensor) {}
  Operand(const Scalar& number) noexcept : number_(&number) {}
  // NOLINTEND(google-explicit-constructor)
  /// Null for a number.
  [[nodiscard]] const Tensor* tensor() const noexcept { return tensor_; }
  [[nodiscard]] const Scalar& number() const noexcept { return *number_; }

 private:
  const Tensor* tensor_ = nullptr;
  const Scalar* number_ = nullptr;
};

struct LoopOptions {
  /// The type of the result; that in which is computed where nothing is said.
  std::optional<DType> result_dtype = {};
  /// The type in which is computed; that of the operands together where nothing is said.
  std::optional<DType> computed_dtype = {};
  /// Whole numbers are computed with as float32.
  bool whole_to_float = false;
  /// The operands need not have one type and the result none with them: a copy.
  bool is_copy = false;
};

/// @throws Error with PyTorch's text, always: a result cannot be stored as that type.
[[noreturn]] void refuse_cast(DType computed, DType wanted);

/// A loop over the elements of a result and of what it is computed from, as PyTorch's TensorIterator plans it: which
/// type is computed in, the common shape, the device, the result (new, checked, or resized), and how to go through the
/// memory of each with as few dimensions as will do.
class Loop {
 public:
  static constexpr std::size_t max_operands = 5;

  /// An operand in the loop's order. The result is the first.
  struct Place {
    void* data = nullptr;  ///< null for a number
    DType dtype = DType::float32;
    Sizes strides;  ///< in bytes, from the dimension that runs fastest
    Scalar number;
  };
  using Places = boost::container::static_vector<Place, max_operands>;

  /// @throws Error with PyTorch's texts for shapes, types, devices and overlaps that do not fit; as make_empty does.
  Loop(const Destination& destination, std::initializer_list<Operand> inputs, const LoopOptions& options = {});

  [[nodiscard]] const Tensor& result() const noexcept { return result_; }
  [[nodiscard]] DType computed_dtype() const noexcept { return computed_dtype_; }
  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// From the dimension that runs fastest.
  [[nodiscard]] const Sizes& sizes() const noexcept { return sizes_; }
  [[nodiscard]] const Places& places() const noexcept { return places_; }
  /// Whether all operands but numbers are of this type, lie without gaps, and are aligned for vectors.
  [[nodiscard]] bool is_contiguous_of(DType dtype) const noexcept;

  /// Calls `run` with loops over parts that 32 bits can count and reach, which together are this one.
  void for_each_part(const std::function<void(const Loop&)>& run) const;
  [[nodiscard]] bool fits_32_bits() const noexcept;

 private:
  void choose_device(const Destination& destination, std::initializer_list<Operand> inputs);
  void choose_dtype(std::initializer_list<Operand> inputs, const LoopOptions& options);
  void make_result(const Destination& destination, std::initializer_list<Operand> inputs, const LoopOptions& options);
  [[nodiscard]] bool take_contiguous(const Destination& destination, std::initializer_list<Operand> inputs,
                                     DType result_dtype);
  void add_place(const Tensor& tensor, const Sizes& shape);
  void add_number(const Operand& operand);
  void reorder();
  [[nodiscard]] int compare(std::size_t a, std::size_t b, std::size_t first_place) const;
  void permute(const boost::container::static_vector<std::size_t, max_rank>& order);
  void coalesce();

  Tensor result_;
  DType computed_dtype_ = DType::float32;
  Device device_;
  std::int64_t count_ = 0;
  Sizes sizes_;
  Places places_;
};

}  // namespace gpucheck::tensor
