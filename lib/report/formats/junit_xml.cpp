#include "report/formats/junit_xml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <sstream>

namespace gpucheck::report {

std::string junit_seconds(double milliseconds) {
  constexpr double max_milliseconds = 1e12;
  const double value = milliseconds > 0 ? std::min(milliseconds, max_milliseconds) / 1000 : 0;
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), value, std::chars_format::fixed, 3).ptr;
  return {digits.begin(), end};
}

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name) = std::string(value).c_str();
}

void set(pugi::xml_node node, const char* name, std::size_t value) { set(node, name, fmt::format("{}", value)); }

void add_text(pugi::xml_node node, const std::string& text) {
  node.append_child(pugi::node_pcdata).set_value(text.c_str());
}

std::pair<std::string, std::string> group_and_case(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {name, name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

pugi::xml_node begin_junit(pugi::xml_document& document) {
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node root = document.append_child("testsuites");
  set(root, "name", "gpucheck");
  return root;
}

std::string text_of(const pugi::xml_document& document) {
  std::ostringstream text;
  document.save(text, "  ");
  return std::move(text).str();
}

}  // namespace gpucheck::report
