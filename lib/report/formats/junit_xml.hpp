#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>

/// What documents of JUnit XML have in common.
namespace gpucheck::report {

/// Seconds with three decimals and a point whatever the locale; consumers reject exponents, signs and NaN.
std::string junit_seconds(double milliseconds);

void set(pugi::xml_node node, const char* name, std::string_view value);
void set(pugi::xml_node node, const char* name, std::size_t value);
void add_text(pugi::xml_node node, const std::string& text);

/// "alloc" and "fuzz" of "alloc.fuzz"; twice the name of one without a group.
std::pair<std::string, std::string> group_and_case(const std::string& name);

/// An empty document and its "testsuites".
pugi::xml_node begin_junit(pugi::xml_document& document);
std::string text_of(const pugi::xml_document& document);

}  // namespace gpucheck::report
