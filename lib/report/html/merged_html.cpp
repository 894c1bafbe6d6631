#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "base/text/sanitize.hpp"
#include "base/text/utc.hpp"
#include "report/comparison_text.hpp"
#include "report/formats/entries.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"
#include "report/html/pair_maps.hpp"
#include "report/merged/merged_words.hpp"
#include "report/verdict_text.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::Verdict;

/// A page of a thousand nodes opens quickly below 5 MB; what is left out is in the JSON report.
constexpr std::size_t longest_details = std::size_t{2} << 20;

std::string list_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += fmt::format("<li>{}</li>\n", line);
  return text.empty() ? text : "<ul>\n" + text + "</ul>\n";
}

std::string what_is_wrong_besides(const fleet::Fleet& fleet) {
  std::vector<std::string> lines;
  for (const std::string& problem : problems_of(fleet)) lines.push_back("<b>Problem:</b> " + html_line(problem));
  for (const fleet::Difference& one : fleet.differences) {
    lines.push_back("Nodes differ in their " + html_line(difference_text(fleet, one)));
  }
  for (const fleet::FleetSuspect& one : fleet.suspects) {
    lines.push_back("<b>Suspect:</b> " + html_line(fleet::text_of(one)));
  }
  for (const harness::Comparison& one : fleet.across.comparisons) {
    if (one.verdict != "pass") {
      lines.push_back(fmt::format("<b>{}</b> {}: {}", html_line(one.verdict), html_line(comparison_title(one)),
                                  html_line(one.reason)));
    }
  }
  return list_of(lines);
}

/// What is known of nodes in full, and of which there is something.
struct Details {
  std::string text = {};
  std::set<std::string> nodes = {};
};

std::string reasons_table(const fleet::Fleet& fleet, const Details& details) {
  HtmlTable table({"Node", "Verdict", "Why"});
  for (const Verdict verdict : {Verdict::failed, Verdict::not_judged}) {
    for (const fleet::FleetNode& node : fleet.nodes) {
      if (node.verdict != verdict) continue;
      std::string reasons;
      for (const std::string& reason : reasons_of(fleet, node)) {
        reasons += (reasons.empty() ? "" : "<br/>") + html_line(reason);
      }
      const std::string name = html_line(node.name);
      const bool has_details = details.nodes.contains(node.name);
      table.add({has_details ? fmt::format("<a href=\"#node={0}\">{0}</a>", name) : name, html_verdict(node.verdict),
                 reasons});
    }
  }
  return table.text();
}

/// All that is known of what did not pass on each node.
Details node_details(const fleet::Fleet& fleet) {
  Details details;
  for (const fleet::FleetNode& node : fleet.nodes) {
    std::string own;
    for (const std::size_t place : node.runs) {
      const fleet::KeptRun& run = fleet.runs[place];
      for (const harness::CaseResult& result : run.troubles) {
        const std::string head = fmt::format("{} <b>{}</b> on {}: {}", html_line(harness::to_text(result.outcome)),
                                             html_line(display_name(result)), html_line(place_text(result.devices)),
                                             html_line(cause(result)));
        own += html_details(head, details_of(result), false);
      }
      if (run.troubles_left_out > 0) {
        own += fmt::format("<p>{} more results that did not pass are in {}.</p>\n", run.troubles_left_out,
                           html_monospaced(run.file));
      }
    }
    if (own.empty()) continue;
    if (details.text.size() + own.size() > longest_details) {
      details.text += "<p>More nodes are left out here; a JSON report has all.</p>\n";
      break;
    }
    details.nodes.insert(node.name);
    details.text +=
        fmt::format("<h3 id=\"node={0}\">{0} {1}</h3>\n{2}", html_line(node.name), html_verdict(node.verdict), own);
  }
  return details;
}

/// A row for each node and a cell for each of its GPUs: a letter, and its colour.
std::string grid(const fleet::Fleet& fleet) {
  constexpr std::array<const char*, 3> letters{"P", "F", "N"};
  constexpr std::array<const char*, 3> colours{"#d2f5d8", "#ffd9d6", "#fff1c2"};  // where style sheets are kept out
  std::string rows;
  for (const fleet::FleetNode& node : fleet.nodes) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", html_line(node.name));
    for (const std::size_t place : node.runs) {
      const fleet::KeptRun& run = fleet.runs[place];
      for (const harness::DeviceVerdict& one : run.verdicts) {
        const auto kind = static_cast<std::size_t>(one.verdict);
        rows += fmt::format("<td class=\"{}\" bgcolor=\"{}\">{}</td>", harness::to_text(one.verdict), colours[kind],
                            letters[kind]);
      }
    }
    rows += "</tr>\n";
  }
  for (const std::string& name : fleet.missing) {
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"not_judged\" bgcolor=\"{}\" colspan=\"8\">did not report</td></tr>\n",
        html_line(name), colours[2]);
  }
  if (rows.empty()) return {};
  return "<p>P passed, F failed, N not judged: a row for each node, a cell for each of its "
         "GPUs.</p>\n<table>\n<tbody>\n" +
         rows + "</tbody>\n</table>\n";
}

/// Bars for how many GPUs have which value, and a mark below where a suspect is.
std::string histogram(const std::vector<double>& values, const std::vector<double>& marked) {
  constexpr std::size_t bars = 48;
  constexpr double margin = 6;  // half a mark
  constexpr double width = 468;
  constexpr double height = 60;
  const auto [least, greatest] = std::ranges::minmax(values);
  const double span = greatest > least ? greatest - least : 1;
  std::array<std::size_t, bars> counts{};
  for (const double value : values) {
    ++counts[std::min(bars - 1, static_cast<std::size_t>((value - least) / span * bars))];
  }
  const auto most = static_cast<double>(std::ranges::max(counts));
  std::string text = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" aria-label=\"{} values from {:.4g} to "
      "{:.4g}\">\n",
      width + 2 * margin, height + 30, width + 2 * margin, values.size(), least, greatest);
  for (std::size_t i = 0; i < bars; ++i) {
    if (counts[i] == 0) continue;
    const double bar = std::max(1.0, height * static_cast<double>(counts[i]) / most);
    text += fmt::format("<rect class=\"bar\" fill=\"#6e7781\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\"/>\n",
                        margin + width / bars * static_cast<double>(i), height - bar, width / bars - 1, bar);
  }
  for (const double value : marked) {
    const double x = margin + (value - least) / span * width;
    text += fmt::format("<path class=\"mark\" fill=\"#cf222e\" d=\"M{:.1f} {} l6 11 h-12 z\"/>\n", x, height + 1);
  }
  return text + fmt::format(
                    "<text x=\"0\" y=\"{0}\">{1:.4g}</text><text x=\"{2}\" y=\"{0}\" text-anchor=\"end\">{3:.4g}"
                    "</text>\n</svg>\n",
                    height + 26, least, width + 2 * margin, greatest);
}

/// GPUs that are suspected in that metric, by their sites.
std::set<std::size_t> suspected_in(const fleet::Fleet& fleet, const std::string& metric) {
  std::set<std::size_t> sites;
  for (const fleet::FleetSuspect& one : fleet.suspects) {
    const bool is_in_it =
        std::ranges::find(one.suspect.evidence, metric, &fleet::Evidence::metric) != one.suspect.evidence.end();
    if (is_in_it && one.suspect.scope == fleet::Scope::gpu) sites.insert(one.suspect.site);
  }
  return sites;
}

std::string distributions(const fleet::Fleet& fleet) {
  HtmlTable table({"Metric", "GPUs", "Least", "Median", "Greatest", "Spread", "How many GPUs have which value"});
  for (const fleet::Metric& metric : fleet.metrics) {
    const std::set<std::size_t> suspected = suspected_in(fleet, metric.name);
    std::vector<double> values;
    std::vector<double> marked;
    for (const fleet::Reading& reading : metric.readings) {
      if (!std::isfinite(reading.value)) continue;
      values.push_back(reading.value);
      if (suspected.contains(reading.site)) marked.push_back(reading.value);
    }
    if (values.empty()) continue;
    std::ranges::sort(values);
    const double median = values[values.size() / 2];
    const double spread = median == 0 ? 0 : (values.back() - values.front()) / median;
    table.add({html_monospaced(metric.name), html_number(static_cast<double>(values.size())),
               html_number(values.front()), html_number(median), html_number(values.back()),
               fmt::format("<td class=\"number\" data-value=\"{}\">{:.1f} %</td>", spread, 100 * spread),
               histogram(values, marked)});
  }
  const std::string text = table.text();
  return text.empty() ? text : "<p>A triangle below marks a GPU that is suspected.</p>\n" + text;
}

std::string files_table(const fleet::Fleet& fleet) {
  HtmlTable table({"Node", "Journal", "Started (UTC)", "Time", "gpucheck", "Seed", "Results"});
  for (const fleet::FleetNode& node : fleet.nodes) {
    for (const std::size_t place : node.runs) {
      const fleet::KeptRun& run = fleet.runs[place];
      table.add({html_line(node.name), html_monospaced(run.file), utc_seconds(run.start.start_time),
                 fmt::format("<td class=\"number\" data-value=\"{}\">{}</td>", run.end.duration_ms,
                             html_line(format_duration(run.end.duration_ms))),
                 html_line(run.start.version), fmt::format("{}", run.start.settings.seed),
                 html_line(counts_text(run.end.counts))});
    }
  }
  return table.text();
}

}  // namespace

std::string merged_html(const fleet::Fleet& fleet) {
  std::string body =
      fmt::format("<h1>gpucheck merge: {}</h1>\n<p>{}</p>\n<p class=\"faint\">{}</p>\n", html_verdict(fleet.verdict),
                  html_line(nodes_text(fleet)), html_line(extent_text(fleet)));
  body += what_is_wrong_besides(fleet);
  const Details details = node_details(fleet);
  body += html_section("not-passed", "Nodes that did not pass", reasons_table(fleet, details));
  body += html_section("details", "What did not pass, in full", details.text);
  body += html_section("grid", "Nodes and GPUs", grid(fleet));
  const std::string maps = pair_maps_of(fleet);
  body += html_section(
      "pairs", "Between each two GPUs of a node",
      maps.empty()
          ? maps
          : pair_maps_key() +
                "<p>Medians of all nodes; below them the node that has least, where that is 5 % less.</p>\n" + maps);
  body += html_section("values", "Measured values across the fleet", distributions(fleet));
  body += html_section("runs", "Runs", files_table(fleet));
  return html_page(fmt::format("gpucheck merge: {}", verdict_word(fleet.verdict)), body);
}

}  // namespace gpucheck::report
