#include "help/manual_page.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace gpucheck::application {

namespace {

/// As roff prints it: its own characters escaped, and a dash that can be copied to a shell.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      case '"':
        result += "\\(dq";
        break;
      default:
        result += c;
    }
  }
  // At the start of a line it would be a request.
  return result.starts_with('.') ? "\\&" + result : result;
}

std::string formatted(std::string_view text) {
  std::string result;
  for (const Span& span : spans_of(text)) {
    result += span.style == Style::plain ? escaped(span.text) : "\\fB" + escaped(span.text) + "\\fR";
  }
  return result;
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return result;
}

}  // namespace

ManualPage::ManualPage(std::string_view name, int section_number, std::string_view version, std::string_view summary) {
  // Each paragraph of groff 1.23 takes the adjustment from AD; earlier ones keep what .ad says.
  text_ = fmt::format(".TH \"{}\" \"{}\" \"\" \"gpucheck {}\" \"gpucheck\"\n.nh\n.ds AD l\n.ad l\n",
                      escaped(upper_case(name)), section_number, escaped(version));
  section("NAME");
  line(fmt::format("{} \\- {}", escaped(name), escaped(summary)));
}

void ManualPage::section(std::string_view heading) { macro("SH", heading); }
void ManualPage::subsection(std::string_view heading) { macro("SS", heading); }

void ManualPage::paragraph(std::string_view text) {
  line(".PP");
  line(formatted(text));
}

void ManualPage::entry(std::string_view term, std::string_view meaning) {
  line(".TP");
  line(formatted(term));
  line(formatted(meaning));
}

void ManualPage::item(std::string_view text) {
  line(".IP \\(bu 2");
  line(formatted(text));
}

void ManualPage::code(std::string_view lines) {
  text_ += ".PP\n.RS 4\n.nf\n";
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    line(escaped(lines.substr(0, end)));
    lines = lines.substr(std::min(end, lines.size() - 1) + 1);
  }
  text_ += ".fi\n.RE\n";
}

void ManualPage::macro(std::string_view name, std::string_view argument) {
  line(fmt::format(".{} \"{}\"", name, formatted(argument)));
}

void ManualPage::line(std::string_view text) {
  text_ += text;
  text_ += '\n';
}

std::string topic_page(const Topic& topic, std::string_view version) {
  ManualPage page("gpucheck-" + topic.name, 7, version, topic.summary);
  page.section("DESCRIPTION");
  for (const Block& block : topic.blocks) {
    switch (block.kind) {
      case BlockKind::heading:
        page.section(upper_case(block.text));
        break;
      case BlockKind::paragraph:
        page.paragraph(block.text);
        break;
      case BlockKind::item:
        page.item(block.text);
        break;
      case BlockKind::row:
        page.entry(block.term, block.text);
        break;
      case BlockKind::code:
        page.code(block.text);
        break;
    }
  }
  page.section("SEE ALSO");
  page.paragraph("`gpucheck`(1)");
  return page.take();
}

}  // namespace gpucheck::application
