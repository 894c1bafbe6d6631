#include "tensor/schema/schema.hpp"

#include <fmt/format.h>

namespace gpucheck::tensor {
namespace {

std::string_view kind_text(ArgumentKind kind) {
  constexpr std::array<std::string_view, 11> texts{
      "Tensor", "Scalar", "int", "float", "bool", "ScalarType", "Device", "str", "Generator", "Layout", "MemoryFormat"};
  return texts[static_cast<std::size_t>(kind)];
}

std::string type_text(const ArgumentType& type, const Alias& alias) {
  std::string text(type.is_symbolic ? "SymInt" : kind_text(type.kind));
  if (alias.set != '\0') text += fmt::format("({}{})", alias.set, alias.is_written ? "!" : "");
  if (type.has_optional_items) text += '?';
  if (type.is_list) text += type.list_size == 0 ? "[]" : fmt::format("[{}]", type.list_size);
  if (type.is_optional) text += '?';
  return text;
}

}  // namespace

std::string to_text(const ArgumentType& type) { return type_text(type, {}); }

std::string Schema::name() const { return std::string(base_name) + (form == Form::in_place ? "_" : ""); }

std::string Schema::qualified_name() const {
  return fmt::format("aten::{}{}{}", name(), overload_name.empty() ? "" : ".", overload_name);
}

std::string Schema::text() const {
  std::string text = name();
  if (!overload_name.empty()) text += fmt::format(".{}", overload_name);
  text += '(';
  bool behind_star = false;
  for (const Argument& argument : arguments()) {
    if (&argument != argument_storage.data()) text += ", ";
    if (argument.is_keyword && !behind_star) text += "*, ";
    behind_star |= argument.is_keyword;
    text += fmt::format("{} {}", type_text(argument.type, argument.alias), argument.name);
    if (!argument.default_text.empty()) text += fmt::format("={}", argument.default_text);
  }
  text += ") -> ";
  if (result_count != 1) text += '(';
  for (const Result& result : results()) {
    if (&result != result_storage.data()) text += ", ";
    text += type_text(result.type, result.alias);
    if (!result.name.empty()) text += fmt::format(" {}", result.name);
  }
  if (result_count != 1) text += ')';
  return text;
}

}  // namespace gpucheck::tensor
