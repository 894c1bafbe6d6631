#include "report/html/html_page.hpp"

#include <fmt/format.h>

#include "base/text/sanitize.hpp"
#include "report/html/page_files.hpp"
#include "report/verdict_text.hpp"

namespace gpucheck::report {
namespace {

constexpr std::size_t longest_line = 2000;

}  // namespace

std::string html_escaped(std::string_view raw) {
  std::string text;
  for (const char c : clean_text(raw)) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      case '\'':
        text += "&#39;";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string html_line(std::string_view raw) { return html_escaped(one_line(raw, longest_line)); }

std::string html_monospaced(std::string_view raw) {
  const std::string text = html_line(raw);
  return text.empty() ? text : fmt::format("<code>{}</code>", text);
}

std::string html_verdict(harness::Verdict verdict) {
  return fmt::format("<span class=\"verdict {}\">{}</span>", harness::to_text(verdict), verdict_word(verdict));
}

HtmlTable::HtmlTable(const std::vector<std::string_view>& headings) {
  for (const std::string_view heading : headings) head_ += fmt::format("<th scope=\"col\">{}</th>", html_line(heading));
}

void HtmlTable::add(const std::vector<std::string>& cells) {
  rows_ += "<tr>";
  for (const std::string& cell : cells) rows_ += cell.starts_with("<td") ? cell : fmt::format("<td>{}</td>", cell);
  rows_ += "</tr>\n";
}

std::string HtmlTable::text() const {
  if (rows_.empty()) return {};
  return fmt::format("<table data-sortable=\"\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n", head_,
                     rows_);
}

std::string html_section(std::string_view anchor, std::string_view heading, const std::string& content) {
  if (content.empty()) return {};
  return fmt::format("<h2 id=\"{}\">{}</h2>\n{}", html_escaped(anchor), html_line(heading), content);
}

std::string html_details(const std::string& summary, std::string_view lines, bool open) {
  return fmt::format("<details{}><summary>{}</summary>\n<pre>{}</pre>\n</details>\n", open ? " open=\"\"" : "", summary,
                     html_escaped(lines));
}

std::string html_page(std::string_view title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}"
      "<script>\n{}</script>\n</body>\n</html>\n",
      html_line(title), page_css(), body, page_js());
}

}  // namespace gpucheck::report
