#include "golden/layout.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace gpucheck::golden {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Compact, with a space after each comma and colon.
std::string one_line(const Json& json) {
  if (!json.is_structured()) return dumped(json);
  std::vector<std::string> parts;
  for (const auto& [key, value] : json.items()) {
    parts.push_back(json.is_object() ? fmt::format("{}: {}", dumped(key), one_line(value)) : one_line(value));
  }
  const std::string_view brackets = json.is_object() ? "{}" : "[]";
  return fmt::format("{}{}{}", brackets[0], fmt::join(parts, ", "), brackets[1]);
}

std::string alternatives(const Json& expectation) {
  if (!expectation.is_array()) return one_line(expectation);
  std::vector<std::string> lines;
  for (const Json& alternative : expectation) lines.push_back("      " + one_line(alternative));
  return fmt::format("[\n{}\n    ]", fmt::join(lines, ",\n"));
}

std::string expectations(const Json& expect) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : expect.items())
    lines.push_back(fmt::format("    {}: {}", dumped(key), alternatives(value)));
  return fmt::format("{{\n{}\n  }}", fmt::join(lines, ",\n"));
}

}  // namespace

std::string layout(const Json& document) {
  std::vector<std::string> fields;
  for (const auto& [key, value] : document.items()) {
    fields.push_back(fmt::format("  {}: {}", dumped(key), key == "expect" ? expectations(value) : one_line(value)));
  }
  return fmt::format("{{\n{}\n}}\n", fmt::join(fields, ",\n"));
}

}  // namespace gpucheck::golden
