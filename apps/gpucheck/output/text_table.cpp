#include "output/text_table.hpp"

#include <algorithm>

#include "base/text/sanitize.hpp"

namespace gpucheck::application {

namespace {

std::vector<std::size_t> widths_of(const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths;
  for (const TextRow& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  return widths;
}

}  // namespace

std::string text_table(const std::vector<TextRow>& rows, std::size_t left_columns, const std::string& indent) {
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string text;
  for (const TextRow& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - columns(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (i < left_columns ? row[i] + padding : padding + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace gpucheck::application
