#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/core/tensor.hpp"

/// What files of PyTorch's hold.
namespace gpucheck::tensor::files {

struct Object;
/// A key of a dictionary and its value.
using Item = std::pair<Object, Object>;

/// Python's `list`.
struct List {
  std::vector<Object> items;
};
/// Python's `tuple`; also what PyTorch calls a `torch.Size`.
struct Tuple {
  std::vector<Object> items;
};
/// Python's `dict`, or its `collections.OrderedDict`. Keys are numbers, texts or nothing.
struct Dictionary {
  std::vector<Item> items;
  bool is_ordered = false;
};

/// PyTorch's `torch.nn.Parameter`.
struct Parameter {
  Tensor data;
  bool requires_grad = true;
};

/// PyTorch's typed storage, such as `torch.FloatStorage`: all elements of a storage, without a shape.
struct TypedStorage {
  Storage storage;
  DType dtype = DType::float32;
  /// How many whole elements.
  [[nodiscard]] std::uint64_t count() const noexcept { return storage.bytes() / element_bytes(dtype); }
};

/// A value that a file can hold. Tensors that are the same tensor (`Tensor::is_same`) are so again when they are
/// loaded, and storages that are shared are shared again; lists, tuples and dictionaries are values, each its own.
struct Object {
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::complex<double>, std::string, List, Tuple,
                             Dictionary, Tensor, Parameter, TypedStorage>;

  /// Python's None.
  Object() noexcept = default;
  // NOLINTBEGIN(google-explicit-constructor): a value is meant wherever one is written
  Object(bool boolean) : value(boolean) {}
  template <std::integral Number>
  Object(Number number) : value(static_cast<std::int64_t>(number)) {}
  template <std::floating_point Number>
  Object(Number number) : value(static_cast<double>(number)) {}
  Object(std::complex<double> number) : value(number) {}
  Object(const char* text) : value(std::string(text)) {}
  Object(std::string text) : value(std::move(text)) {}
  Object(List list) : value(std::move(list)) {}
  Object(Tuple tuple) : value(std::move(tuple)) {}
  Object(Dictionary dictionary) : value(std::move(dictionary)) {}
  Object(Tensor tensor) : value(std::move(tensor)) {}
  Object(Parameter parameter) : value(std::move(parameter)) {}
  Object(TypedStorage storage) : value(std::move(storage)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool is_none() const noexcept { return std::holds_alternative<std::monostate>(value); }
  /// What it holds. @throws std::bad_variant_access where that is of another type.
  template <typename T>
  [[nodiscard]] const T& as() const {
    return std::get<T>(value);
  }

  Value value;
};

/// How deep lists, tuples and dictionaries may lie in each other.
inline constexpr int max_depth = 100;

}  // namespace gpucheck::tensor::files
