#include "harness/values/value.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

namespace gpucheck::harness {
namespace {

// Every scalar has its own overload, so that a bool is never printed as a number.
std::string scalar_text(bool value) { return value ? "true" : "false"; }

std::string scalar_text(std::int64_t value) { return fmt::format("{}", value); }

// The shortest text that reads back as the same number; a whole one keeps a ".0", so
// that a reader can tell 1.0 (real) from 1 (integer).
std::string scalar_text(double value) {
  std::string text = fmt::format("{}", value);
  const bool looks_whole = std::isfinite(value) && text.find_first_of(".e") == std::string::npos;
  return looks_whole ? text + ".0" : text;
}

std::string scalar_text(const std::string& value) {
  using nlohmann::json;
  return json(value).dump(-1, ' ', false, json::error_handler_t::replace);
}

template <typename Element>
std::string array_text(const std::vector<Element>& elements) {
  std::string text = "[";
  std::string_view separator;
  for (const Element& element : elements) {
    text.append(separator).append(scalar_text(element));
    separator = ", ";
  }
  return text + "]";
}

}  // namespace

std::string to_text(const Value& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (requires { scalar_text(held); }) {
          return scalar_text(held);
        } else {
          return array_text(held);
        }
      },
      value);
}

}  // namespace gpucheck::harness
