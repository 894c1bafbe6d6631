#include "harness/case/case_name.hpp"

#include <algorithm>

namespace gpucheck::harness {

bool is_word(std::string_view text) noexcept {
  const auto is_allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && std::ranges::all_of(text, is_allowed);
}

bool is_case_name(std::string_view name) noexcept {
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos && is_word(name.substr(0, dot)) && is_word(name.substr(dot + 1));
}

std::string_view group_of(std::string_view case_name) noexcept { return case_name.substr(0, case_name.find('.')); }

std::string case_path(std::string_view case_name) {
  std::string path(case_name);
  std::ranges::replace(path, '.', '/');
  return path;
}

}  // namespace gpucheck::harness
