#include "base/text/shell_text.hpp"

#include <algorithm>

#include "base/text/sanitize.hpp"

namespace gpucheck {
namespace {

constexpr std::string_view quoted_quote = "'\\''";

bool is_plain_in_shell(char c) {
  constexpr std::string_view harmless = "_-./:=,+@%";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         harmless.find(c) != std::string_view::npos;
}

}  // namespace

std::string in_single_quotes(std::string_view word) {
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += quoted_quote;
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_quoted(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain_in_shell)) return std::string(word);
  return in_single_quotes(word);
}

bool is_plain_command(std::string_view line) {
  const bool has_line_end = line.find_first_of("\n\t") != std::string_view::npos;
  if (line.empty() || has_line_end || clean_text(line) != line) return false;
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_quoted && line.substr(i).starts_with(quoted_quote)) {
      i += quoted_quote.size() - 1;
    } else if (line[i] == '\'') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && line[i] != ' ' && !is_plain_in_shell(line[i])) {
      return false;
    }
  }
  return !is_quoted;
}

}  // namespace gpucheck
