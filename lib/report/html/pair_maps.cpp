#include "report/html/pair_maps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text/sanitize.hpp"
#include "harness/result/pair_matrix.hpp"
#include "report/html/html_page.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseResult;

constexpr std::size_t most_maps = 24;    // of one page: somebody repeats a case a thousand times
constexpr std::size_t most_places = 16;  // a square of more is wider than what it is read on

/// From the least share of the greatest value on.
struct Shade {
  double share;
  std::string_view css_class;
  std::string_view colour;  ///< where style sheets are kept out
};
constexpr std::array<Shade, 4> shades{{{0.95, "heat4", "#8fc1e3"},
                                       {0.85, "heat3", "#b5d6ec"},
                                       {harness::slow_pair_share, "heat2", "#d9e9f5"},
                                       {-std::numeric_limits<double>::infinity(), "heat1", "#f4f8fb"}}};
/// A node whose pair has less of the median than this is named.
constexpr double usual_share = 0.95;
constexpr std::string_view marked_colour = "#ffd9d6";

std::string html_cell(const PairMap::Cell& cell, double greatest, bool is_diagonal) {
  if (!std::isfinite(cell.value)) return is_diagonal ? "<td></td>" : "<td>&#8211;</td>";
  const double share = greatest > 0 ? cell.value / greatest : 1;
  const Shade& shade = *std::ranges::find_if(shades, [share](const Shade& one) { return share >= one.share; });
  const std::string note = cell.note.empty() ? "" : fmt::format("<br/><small>{}</small>", html_line(cell.note));
  return fmt::format("<td class=\"number {}\" bgcolor=\"{}\">{}{:.4g}{}</td>", cell.marked ? "failed" : shade.css_class,
                     cell.marked ? marked_colour : shade.colour, cell.marked ? "&#9660; " : "", cell.value, note);
}

const std::vector<std::string>* texts_of(const CaseResult& result, std::string_view key) {
  const auto found = std::ranges::find(result.observations, key, &harness::Observation::key);
  return found == result.observations.end() ? nullptr : std::get_if<std::vector<std::string>>(&found->value);
}

/// The driver's numbers of a result's devices, by which cases name pairs.
std::vector<std::string> numbers_of(const std::vector<int>& indexes, const harness::RunStarted& start) {
  std::vector<std::string> numbers;
  for (const int index : indexes) {
    const auto device = std::ranges::find(start.devices, index, &harness::DeviceIdentity::index);
    numbers.push_back(std::to_string(device == start.devices.end() ? index : device->ordinal));
  }
  return numbers;
}

std::string remark_on(const CaseResult& result) {
  std::string text;
  for (const auto& [key, words] : {std::pair("bad_pairs", "bad"), {"out_of_reach", "out of reach"}}) {
    const std::vector<std::string>* const pairs = texts_of(result, key);
    if (pairs == nullptr || pairs->empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", words, some_of(*pairs, pairs->size()));
  }
  return text;
}

/// A square of as many places as a page has room for. @param cell_at gives the cell of a row and a column.
template <typename CellAt>
PairMap square(std::string title, std::vector<std::string> labels, std::string remark, const CellAt& cell_at) {
  PairMap map{.title = std::move(title), .labels = std::move(labels), .cells = {}, .remark = std::move(remark)};
  if (map.labels.size() > most_places) {
    map.remark +=
        fmt::format("{}the first {} of {} places", map.remark.empty() ? "" : "; ", most_places, map.labels.size());
    map.labels.resize(most_places);
  }
  for (std::size_t row = 0; row < map.labels.size(); ++row) {
    for (std::size_t column = 0; column < map.labels.size(); ++column) map.cells.push_back(cell_at(row, column));
  }
  return map;
}

PairMap map_of(const CaseResult& result, const harness::PairMatrix& matrix, const harness::RunStarted& start) {
  const std::vector<std::string> numbers = numbers_of(result.devices, start);
  double least_good = harness::slow_pair_share * harness::median_of_pairs(matrix.values);
  const auto judged = std::ranges::find(result.measurements, matrix.metric, &harness::Measurement::key);
  if (judged != result.measurements.end() && judged->fail_below)
    least_good = std::fmax(least_good, *judged->fail_below);
  const std::vector<std::string>* const bad = texts_of(result, "bad_pairs");
  const auto cell_at = [&](std::size_t row, std::size_t column) {
    const double value = matrix.values[row * numbers.size() + column];
    const std::string pair = fmt::format("{}-{}", numbers[std::min(row, column)], numbers[std::max(row, column)]);
    const bool is_bad = bad != nullptr && std::ranges::count(*bad, pair) > 0;
    return PairMap::Cell{.value = value, .marked = is_bad || value < least_good};
  };
  return square(fmt::format("{}: {}", display_name(result), matrix.metric), numbers, remark_on(result), cell_at);
}

// ---- of a fleet ------------------------------------------------------------------------------

/// From one place to another, by the driver's numbers.
using Places = std::pair<int, int>;

struct NodeValue {
  double value = 0;
  std::size_t run = 0;
};

/// What is shown in one square.
struct MetricOfModel {
  std::string_view case_name;
  std::string_view metric;
  std::string_view model;
  auto operator<=>(const MetricOfModel&) const = default;
};

using ValuesOfPlaces = std::map<Places, std::vector<NodeValue>>;

void collect(std::map<MetricOfModel, ValuesOfPlaces>& found, const fleet::Fleet& fleet, std::size_t place) {
  const fleet::KeptRun& run = fleet.runs[place];
  for (const fleet::KeptPairs& pairs : run.pairs) {
    std::vector<const harness::DeviceIdentity*> devices;
    for (const int index : pairs.devices) {
      const auto device = std::ranges::find(run.start.devices, index, &harness::DeviceIdentity::index);
      if (device != run.start.devices.end()) devices.push_back(&*device);
    }
    if (devices.size() != pairs.devices.size()) continue;
    ValuesOfPlaces& values = found[{*pairs.case_name, *pairs.metric, devices.front()->name}];
    for (std::size_t i = 0; i < pairs.values.size(); ++i) {
      if (!std::isfinite(pairs.values[i])) continue;
      values[{devices[i / devices.size()]->ordinal, devices[i % devices.size()]->ordinal}].push_back(
          {pairs.values[i], place});
    }
  }
}

PairMap::Cell cell_of(const fleet::Fleet& fleet, std::vector<NodeValue> values) {
  std::ranges::stable_sort(values, {}, &NodeValue::value);
  const double median = values[values.size() / 2].value;
  const NodeValue& least = values.front();
  PairMap::Cell cell{.value = median, .marked = least.value < harness::slow_pair_share * median};
  if (least.value < usual_share * median) {
    cell.note = fmt::format("{:.4g} {}", least.value, one_line(fleet.runs[least.run].start.host_name, 80));
  }
  return cell;
}

PairMap map_of(const fleet::Fleet& fleet, const MetricOfModel& what, const ValuesOfPlaces& values) {
  std::set<int> all;
  for (const auto& [places, _] : values) all.insert({places.first, places.second});
  const std::vector<int> numbers(all.begin(), all.end());
  std::vector<std::string> labels;
  for (const int number : numbers) labels.push_back(std::to_string(number));
  const auto cell_at = [&](std::size_t row, std::size_t column) {
    const auto found = values.find({numbers[row], numbers[column]});
    return found == values.end() ? PairMap::Cell{} : cell_of(fleet, found->second);
  };
  return square(fmt::format("{}: {} of {}", what.case_name, what.metric, what.model), std::move(labels), "", cell_at);
}

/// Squares until there is no more room for them.
class Maps {
 public:
  /// @param make gives the square.
  template <typename Make>
  void add(const Make& make) {
    if (++count_ <= most_maps) text_ += html_pair_map(make());
  }
  /// @param left_out where the others are.
  [[nodiscard]] std::string text(std::string_view left_out) const {
    return count_ <= most_maps ? text_ : text_ + fmt::format("<p>{} more are {}.</p>\n", count_ - most_maps, left_out);
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

}  // namespace

std::string html_pair_map(const PairMap& map) {
  double greatest = 0;
  for (const PairMap::Cell& cell : map.cells) {
    if (std::isfinite(cell.value)) greatest = std::max(greatest, cell.value);
  }
  std::string text =
      fmt::format("<table class=\"pairs\">\n<caption>{}</caption>\n<tbody>\n<tr><th>from&#160;\\&#160;to</th>",
                  html_line(map.title));
  for (const std::string& label : map.labels) text += fmt::format("<th scope=\"col\">{}</th>", html_line(label));
  text += "</tr>\n";
  const std::size_t rows = map.labels.size();
  for (std::size_t row = 0; row < rows; ++row) {
    text += fmt::format("<tr><th scope=\"row\">{}</th>", html_line(map.labels[row]));
    for (std::size_t column = 0; column < rows; ++column) {
      text += html_cell(map.cells.at(row * rows + column), greatest, row == column);
    }
    text += "</tr>\n";
  }
  text += "</tbody>\n</table>\n";
  return map.remark.empty() ? text : text + fmt::format("<p class=\"faint\">{}</p>\n", html_line(map.remark));
}

std::string pair_maps_key() {
  return "<p>From the device of the row to that of the column, by the driver's numbers. The stronger its colour, the "
         "greater a value; &#9660; marks one that is bad or slow, &#8211; what was not measured.</p>\n";
}

std::string pair_maps_of(const fleet::RunRecord& run) {
  Maps maps;
  for (const CaseResult& result : run.results) {
    for (const harness::PairMatrix& matrix : harness::pair_matrices(result)) {
      maps.add([&] { return map_of(result, matrix, run.start); });
    }
  }
  return maps.text("in a JSON report");
}

std::string pair_maps_of(const fleet::Fleet& fleet) {
  std::map<MetricOfModel, ValuesOfPlaces> found;
  for (std::size_t i = 0; i < fleet.runs.size(); ++i) collect(found, fleet, i);
  Maps maps;
  for (const auto& [what, values] : found) {
    maps.add([&, &of = what, &seen = values] { return map_of(fleet, of, seen); });
  }
  return maps.text("in the reports of the nodes");
}

}  // namespace gpucheck::report
