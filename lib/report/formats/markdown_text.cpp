#include "report/formats/markdown_text.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text/sanitize.hpp"

namespace gpucheck::report {
namespace {

constexpr std::size_t details_head_bytes = std::size_t{2} * 1024;
constexpr std::size_t details_tail_bytes = std::size_t{2} * 1024;

/// Backticks that `text` does not have in a row.
std::string longer_fence(std::string_view text, std::size_t at_least) {
  std::size_t longest = 0;
  std::size_t row = 0;
  for (const char c : text) {
    row = c == '`' ? row + 1 : 0;
    longest = std::max(longest, row);
  }
  return std::string(std::max(longest + 1, at_least), '`');
}

}  // namespace

std::string code_span(std::string_view raw) {
  const std::string text = one_line(raw);
  if (text.empty()) return {};
  const std::string fence = longer_fence(text, 1);
  const std::string_view space = text.starts_with('`') || text.ends_with('`') ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, space, text, space, fence);
}

std::string code_block(std::string_view raw) {
  const std::string text = clean_text(cut_middle(raw, details_head_bytes, details_tail_bytes));
  const std::string fence = longer_fence(text, 3);
  return fmt::format("{}text\n{}\n{}\n", fence, text, fence);
}

std::string html_code(std::string_view raw) {
  std::string text;
  for (const char c : one_line(raw)) {
    const bool is_plain = std::string_view("!\"#$%&'()*+/;<=>?@[\\]^_`{|}~").find(c) == std::string_view::npos;
    text += is_plain ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(c));
  }
  return text.empty() ? "" : fmt::format("<code>{}</code>", text);
}

}  // namespace gpucheck::report
