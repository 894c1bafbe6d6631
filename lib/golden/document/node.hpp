#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/values/value.hpp"

namespace gpucheck::golden {

/// A place in a golden file. Each reader either gives what it is named for or throws
/// MalformedGolden with this place and what was expected there. A view: file and
/// document must outlive it.
class Node {
 public:
  using Json = nlohmann::ordered_json;

  Node(const Json& json, const std::string& origin, std::string path = {})
      : json_(&json), origin_(&origin), path_(std::move(path)) {}

  /// An object with no fields but these.
  void require_object(std::initializer_list<std::string_view> known_fields) const;
  /// The field of an object, when it is there.
  [[nodiscard]] std::optional<Node> field(std::string_view name) const;
  [[nodiscard]] Node required_field(std::string_view name) const;
  /// An object's fields in file order; at least one.
  [[nodiscard]] std::vector<std::pair<std::string, Node>> fields() const;
  /// An array's elements; at least one.
  [[nodiscard]] std::vector<Node> elements() const;

  /// An array's elements, none of an empty one.
  [[nodiscard]] std::vector<Node> elements_or_none() const;

  [[nodiscard]] bool is_array() const { return json_->is_array(); }
  [[nodiscard]] bool is_string() const { return json_->is_string(); }
  [[nodiscard]] bool is_object() const { return json_->is_object(); }
  [[nodiscard]] bool is_null() const { return json_->is_null(); }
  [[nodiscard]] std::string string() const;
  [[nodiscard]] std::string non_empty_string() const;
  [[nodiscard]] std::string one_of(std::initializer_list<std::string_view> choices) const;
  /// std::int64_t or double.
  [[nodiscard]] harness::Value number() const;
  /// Never rounded.
  [[nodiscard]] double floating_point() const;
  [[nodiscard]] double tolerance() const;
  [[nodiscard]] std::uint64_t count() const;
  void require_true() const;
  /// A scalar, or a flat array of one kind.
  [[nodiscard]] harness::Value value() const;

  [[noreturn]] void reject(std::string_view expected) const;

 private:
  [[nodiscard]] harness::Value array() const;

  const Json* json_;
  const std::string* origin_;
  std::string path_;
};

}  // namespace gpucheck::golden
