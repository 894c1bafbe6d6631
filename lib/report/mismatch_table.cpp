#include "report/mismatch_table.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <span>

#include "base/text/sanitize.hpp"

namespace gpucheck::report {
namespace {

using Row = std::array<std::string, 4>;  // key, expected, seen, basis

constexpr std::size_t gap = 2;
constexpr std::size_t longest_value = 1000;
constexpr std::size_t max_rows = 50;  ///< who has more reads the JSON report

Row row_of(const harness::Mismatch& mismatch) {
  return {one_line(mismatch.key, 200), one_line(mismatch.expected, longest_value),
          one_line(mismatch.seen, longest_value), one_line(mismatch.basis, 20)};
}

std::array<std::size_t, 4> widths_of(const std::vector<Row>& rows) {
  std::array<std::size_t, 4> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  return widths;
}

std::string side_by_side(const Row& row, const std::array<std::size_t, 4>& widths) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += row[i];
    line.append(widths[i] - columns(row[i]) + gap, ' ');
  }
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

void add_stacked(std::vector<std::string>& lines, const Row& row) {
  const auto& [key, expected, seen, basis] = row;
  lines.push_back(basis.empty() ? key : fmt::format("{} (basis: {})", key, basis));
  lines.push_back("  expected  " + expected);
  lines.push_back("  seen      " + seen);
}

}  // namespace

std::vector<std::string> mismatch_table(const std::vector<harness::Mismatch>& mismatches, std::size_t width) {
  if (mismatches.empty()) return {};
  std::vector<Row> rows;
  const std::size_t shown = std::min(mismatches.size(), max_rows);
  for (const harness::Mismatch& mismatch : std::span(mismatches).first(shown)) rows.push_back(row_of(mismatch));

  std::vector<std::string> lines;
  std::vector<Row> table = rows;
  table.insert(table.begin(), Row{"key", "expected", "seen", "basis"});
  const auto widths = widths_of(table);
  if (std::accumulate(widths.begin(), widths.end(), (widths.size() - 1) * gap) <= width) {
    for (const Row& row : table) lines.push_back(side_by_side(row, widths));
  } else {
    for (const Row& row : rows) add_stacked(lines, row);
  }
  if (shown < mismatches.size()) lines.push_back(fmt::format("and {} more", mismatches.size() - shown));
  return lines;
}

}  // namespace gpucheck::report
