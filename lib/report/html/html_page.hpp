#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/run/device_verdicts.hpp"

/// Parts of a page that a person reads: one file that needs nothing else. Without scripts and style sheets, which some
/// servers do not let through, all of it is there, and colour is never the only sign. It is XML, too, so that a reader
/// of XML can check it.
namespace gpucheck::report {

/// As text or the value of an attribute in quotes.
std::string html_escaped(std::string_view raw);
/// On one line, and cut where it is very long.
std::string html_line(std::string_view raw);
std::string html_monospaced(std::string_view raw);

/// "PASSED" on its colour.
std::string html_verdict(harness::Verdict verdict);

/// A table that can be sorted and filtered where scripts run. Cells are HTML.
class HtmlTable {
 public:
  explicit HtmlTable(const std::vector<std::string_view>& headings);

  void add(const std::vector<std::string>& cells);
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  [[nodiscard]] std::string text() const;

 private:
  std::string head_;
  std::string rows_;
};

/// A heading that a link reaches, and what stands below it; empty where `content` is.
std::string html_section(std::string_view anchor, std::string_view heading, const std::string& content);

/// A line that opens, and lines below it as they are. @param open from the start.
std::string html_details(const std::string& summary, std::string_view lines, bool open);

std::string html_page(std::string_view title, const std::string& body);

}  // namespace gpucheck::report
