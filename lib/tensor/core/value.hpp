#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/core/generator.hpp"
#include "tensor/core/scalar.hpp"
#include "tensor/core/tensor.hpp"

namespace gpucheck::tensor {

/// How a tensor keeps its elements.
enum class TensorLayout : std::uint8_t { strided, sparse_coo };
/// In which order the dimensions of a new tensor lie.
enum class MemoryFormat : std::uint8_t { contiguous_format, preserve_format, channels_last, channels_last_3d };

/// An argument or a result whose type is known when the program runs: what layers see of a call. Nothing (monostate) is
/// an optional one that was not given.
using Value = std::variant<std::monostate, Tensor, std::vector<Tensor>, Scalar, std::int64_t, Sizes, double, bool,
                           DType, Device, std::string, GeneratorChoice, TensorLayout, MemoryFormat>;

namespace detail {

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <>
struct IsOptional<OptionalSizes> : std::true_type {};

}  // namespace detail

/// A typed argument as a value. An undefined tensor stays one.
template <typename T>
[[nodiscard]] Value to_value(const T& argument) {
  if constexpr (detail::IsOptional<T>::value) {
    return argument ? Value(*argument) : Value();
  } else {
    return Value(argument);
  }
}

/// A value as the type of an argument. @throws std::bad_variant_access for another type; nothing stands for an
/// undefined tensor and for an optional.
template <typename T>
[[nodiscard]] T from_value(const Value& value) {
  if constexpr (detail::IsOptional<T>::value) {
    if (std::holds_alternative<std::monostate>(value)) return T(std::nullopt);
    return T(std::get<typename T::value_type>(value));
  } else if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, GeneratorChoice>) {
    return std::holds_alternative<std::monostate>(value) ? T() : std::get<T>(value);
  } else {
    return std::get<T>(value);
  }
}

}  // namespace gpucheck::tensor
