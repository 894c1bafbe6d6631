#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/values/fields.hpp"
#include "harness/values/parameter.hpp"
#include "harness/values/value.hpp"

namespace gpucheck::report {

template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = !std::is_same_v<T, bool>;
template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Puts `text` in place of every text that a value holds, however deep: what another machine may have written there.
template <typename T>
void fill_texts(T& value, const std::string& text) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = text;
  } else if constexpr (std::is_same_v<T, harness::Observation>) {
    value = {.key = text, .value = text};
  } else if constexpr (std::is_same_v<T, harness::ParameterValues>) {
    value = {{text, text}};
  } else if constexpr (harness::Described<T>) {
    harness::for_each_field(value, [&text](const auto& /*row*/, auto& field) { fill_texts(field, text); });
  } else if constexpr (is_optional<T>) {
    if (value) fill_texts(*value, text);
  } else if constexpr (is_vector<T>) {
    for (auto& element : value) fill_texts(element, text);
  }
}

}  // namespace gpucheck::report
