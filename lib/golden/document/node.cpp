#include "golden/document/node.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "golden/document/syntax.hpp"

namespace gpucheck::golden {
namespace {

using harness::Value;
using Json = Node::Json;

std::string found(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return json.empty() ? "an empty array" : "an array";
  if (json.is_string()) return quotation(json.get_ref<const std::string&>());
  return json.dump();
}

bool all(const Json& array, bool (Json::*is_kind)() const noexcept) {
  return std::all_of(array.begin(), array.end(), [is_kind](const Json& element) { return (element.*is_kind)(); });
}

}  // namespace

void Node::reject(std::string_view expected) const {
  malformed(*origin_, path_, fmt::format("expected {}, found {}", expected, found(*json_)));
}

void Node::require_object(std::initializer_list<std::string_view> known_fields) const {
  if (!json_->is_object()) reject("an object");
  for (const auto& [name, value] : json_->items()) {
    if (std::find(known_fields.begin(), known_fields.end(), name) != known_fields.end()) continue;
    malformed(*origin_, child_path(path_, name),
              fmt::format("unknown field; expected one of {}", fmt::join(known_fields, ", ")));
  }
}

std::optional<Node> Node::field(std::string_view name) const {
  const auto found_field = json_->find(std::string(name));
  if (found_field == json_->end()) return std::nullopt;
  return Node(*found_field, *origin_, child_path(path_, name));
}

Node Node::required_field(std::string_view name) const {
  if (std::optional<Node> present = field(name)) return *std::move(present);
  malformed(*origin_, path_, fmt::format("expected a field \"{}\"", name));
}

std::vector<std::pair<std::string, Node>> Node::fields() const {
  if (!json_->is_object()) reject("an object");
  if (json_->empty())
    malformed(*origin_, path_, "expected at least one key: a file that expects nothing judges nothing");
  std::vector<std::pair<std::string, Node>> result;
  for (const auto& [name, value] : json_->items())
    result.emplace_back(name, Node(value, *origin_, child_path(path_, name)));
  return result;
}

std::vector<Node> Node::elements() const {
  if (!json_->is_array() || json_->empty()) reject("an array with at least one element");
  return elements_or_none();
}

std::vector<Node> Node::elements_or_none() const {
  if (!json_->is_array()) reject("an array");
  std::vector<Node> result;
  for (const Json& element : *json_) {
    result.emplace_back(element, *origin_, child_path(path_, fmt::format("{}", result.size())));
  }
  return result;
}

std::string Node::string() const {
  if (!json_->is_string()) reject("a string");
  return json_->get<std::string>();
}

std::string Node::non_empty_string() const {
  if (!json_->is_string() || json_->get_ref<const std::string&>().empty()) reject("a string that is not empty");
  return json_->get<std::string>();
}

std::string Node::one_of(std::initializer_list<std::string_view> choices) const {
  const bool known = json_->is_string() &&
                     std::find(choices.begin(), choices.end(), json_->get_ref<const std::string&>()) != choices.end();
  if (!known) reject(fmt::format("one of {}", fmt::join(choices, ", ")));
  return json_->get<std::string>();
}

Value Node::number() const {
  if (json_->is_number_integer()) return json_->get<std::int64_t>();
  return floating_point();
}

double Node::floating_point() const {
  if (!json_->is_number()) reject("a number");
  const auto number = json_->get<double>();
  // Where every std::int64_t is exact.
  const bool is_rounded = json_->is_number_integer() &&
                          static_cast<long double>(number) != static_cast<long double>(json_->get<std::int64_t>());
  if (is_rounded) reject("a whole number that a floating-point number is exactly; \"equals\" and \"range\" take any");
  return number;
}

double Node::tolerance() const {
  if (!json_->is_number() || json_->get<double>() < 0) reject("a number that is not negative");
  return json_->get<double>();
}

std::uint64_t Node::count() const {
  if (!json_->is_number_unsigned()) reject("a whole number that is not negative");
  return json_->get<std::uint64_t>();
}

void Node::require_true() const {
  if (!json_->is_boolean() || !json_->get<bool>()) reject("true");
}

Value Node::value() const {
  if (json_->is_boolean()) return json_->get<bool>();
  if (json_->is_number()) return number();
  if (json_->is_string()) return string();
  if (json_->is_array()) return array();
  reject("true, false, a number, a string or a flat array");
}

Value Node::array() const {
  if (json_->empty() || all(*json_, &Json::is_number_integer)) return json_->get<std::vector<std::int64_t>>();
  if (all(*json_, &Json::is_number)) return json_->get<std::vector<double>>();
  if (all(*json_, &Json::is_boolean)) return json_->get<std::vector<bool>>();
  if (all(*json_, &Json::is_string)) return json_->get<std::vector<std::string>>();
  reject("an array whose elements are all numbers, all strings, or all true or false");
}

}  // namespace gpucheck::golden
