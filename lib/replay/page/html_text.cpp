#include "replay/page/html_text.hpp"

#include "base/text/sanitize.hpp"

namespace gpucheck::replay {

namespace {

std::string with_entities(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace

std::string escaped(std::string_view text, std::size_t limit) { return with_entities(one_line(text, limit)); }

std::string escaped_lines(std::string_view text) { return with_entities(clean_text(text)); }

std::string filled(std::string_view page, const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  std::string text;
  while (!page.empty()) {
    const std::size_t open = page.find("{{");
    text += page.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = page.find("}}", open);
    const std::string_view name = page.substr(open + 2, close - open - 2);
    for (const auto& [key, value] : values) {
      if (key == name) text += value;
    }
    page.remove_prefix(close + 2);
  }
  return text;
}

}  // namespace gpucheck::replay
