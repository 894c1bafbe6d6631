#include "tensor/call/defaults.hpp"

#include <charconv>

#include "tensor/core/errors.hpp"

namespace gpucheck::tensor {
namespace {

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <typename Number>
Number required_number(std::string_view text) {
  if (const auto number = number_of<Number>(text)) return *number;
  throw SchemaError("a default that is not a number: " + std::string(text));
}

}  // namespace

template <>
bool parse_default<bool>(std::string_view text) {
  if (text != "True" && text != "False") throw SchemaError("a default that is not a boolean: " + std::string(text));
  return text == "True";
}

template <>
std::int64_t parse_default<std::int64_t>(std::string_view text) {
  return required_number<std::int64_t>(text);
}

template <>
double parse_default<double>(std::string_view text) {
  return required_number<double>(text);
}

template <>
Scalar parse_default<Scalar>(std::string_view text) {
  if (const auto whole = number_of<std::int64_t>(text)) return *whole;
  if (text == "True" || text == "False") return text == "True";
  return required_number<double>(text);
}

template <>
Sizes parse_default<Sizes>(std::string_view text) {
  if (!text.starts_with('[')) return {required_number<std::int64_t>(text)};
  text.remove_prefix(1);
  Sizes list;
  while (text != "]") {
    const std::size_t end = text.find_first_of(",]");
    if (end == std::string_view::npos) throw SchemaError("a default whose bracket is missing");
    list.push_back(required_number<std::int64_t>(text.substr(0, end)));
    text.remove_prefix(text[end] == ',' ? text.find_first_not_of(' ', end + 1) : end);
  }
  return list;
}

template <>
std::string parse_default<std::string>(std::string_view text) {
  if (text.size() < 2 || text.front() != '\'') throw SchemaError("a default that is not a text: " + std::string(text));
  return std::string(text.substr(1, text.size() - 2));
}

template <>
DType parse_default<DType>(std::string_view text) {
  if (text == "long") return DType::int64;  // PyTorch's notation has this name of it
  if (const auto dtype = parse_dtype(text)) return *dtype;
  throw SchemaError("a default that is not a type: " + std::string(text));
}

template <>
MemoryFormat parse_default<MemoryFormat>(std::string_view text) {
  if (text == "contiguous_format") return MemoryFormat::contiguous_format;
  throw SchemaError("a default that is not a memory format: " + std::string(text));
}

void throw_undefined(const Schema& schema) {
  throw NotImplementedError("Could not run '" + schema.qualified_name() + "': no operator of this name is defined.");
}

}  // namespace gpucheck::tensor
