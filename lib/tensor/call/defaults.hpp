#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tensor/core/value.hpp"
#include "tensor/schema/schema.hpp"

namespace gpucheck::tensor {

/// A schema's default as an argument of type T. @throws SchemaError for a text that is none.
template <typename T>
[[nodiscard]] T parse_default(std::string_view text);

template <>
bool parse_default<bool>(std::string_view text);
template <>
std::int64_t parse_default<std::int64_t>(std::string_view text);
template <>
double parse_default<double>(std::string_view text);
template <>
Scalar parse_default<Scalar>(std::string_view text);
template <>
Sizes parse_default<Sizes>(std::string_view text);
template <>
std::string parse_default<std::string>(std::string_view text);
template <>
DType parse_default<DType>(std::string_view text);
template <>
MemoryFormat parse_default<MemoryFormat>(std::string_view text);

template <typename T>
T parse_default(std::string_view text) {
  if constexpr (detail::IsOptional<T>::value) {
    if (text == "None") return std::nullopt;
    return parse_default<typename T::value_type>(text);
  } else {
    static_assert(std::is_same_v<T, Tensor> || std::is_same_v<T, GeneratorChoice> || std::is_same_v<T, Device> ||
                  std::is_same_v<T, std::vector<Tensor>> || std::is_same_v<T, TensorLayout>);
    if (text != "None") throw SchemaError("a default that is not None");
    return {};
  }
}

/// Thrown by a call of an operator that nothing defines. @throws NotImplementedError, always.
[[noreturn]] void throw_undefined(const Schema& schema);

}  // namespace gpucheck::tensor
