#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/sanitize.hpp"
#include "base/text/shell_text.hpp"
#include "base/text/utc.hpp"
#include "report/formats/entries.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"
#include "report/html/pair_maps.hpp"
#include "report/verdict_text.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

/// What did not pass, in full, then what passed with a mark.
std::string not_passed_section(const RunSet& set, const std::vector<Entry>& entries) {
  std::string text;
  std::size_t shown = 0;
  for (const Standing standing : {Standing::failed, Standing::unjudged, Standing::waived, Standing::warned}) {
    for (const Entry& entry : entries) {
      if (entry.standing != standing) continue;
      const std::string run = set.is_one_run() || entry.run >= set.labels.size() ? "" : set.labels[entry.run] + ": ";
      const std::string place = entry.place.empty() ? "" : " on " + html_line(entry.place);
      const std::string head = fmt::format("{} <b>{}</b>{}: {}", html_line(run + entry.word), html_line(entry.name),
                                           place, html_line(entry.message));
      // A page of thousands of open parts is slow, and nobody reads it.
      constexpr std::size_t most_open = 20;
      text += html_details(head, entry.details.empty() ? entry.message : entry.details,
                           is_red(standing) && shown < most_open);
      ++shown;
    }
  }
  return text;
}

/// A column for the run, where there are several.
std::vector<std::string_view> headings_for(const RunSet& set, std::vector<std::string_view> headings) {
  if (!set.is_one_run()) headings.insert(headings.begin(), "Run");
  return headings;
}

std::vector<std::string> cells_for(const RunSet& set, std::size_t run, std::vector<std::string> cells) {
  if (!set.is_one_run()) cells.insert(cells.begin(), run < set.labels.size() ? html_line(set.labels[run]) : "");
  return cells;
}

std::string results_section(const RunSet& set, const std::vector<Entry>& entries) {
  HtmlTable table(headings_for(set, {"Case", "On", "Outcome", "Time", "Why"}));
  for (const Entry& entry : entries) {
    const double ms = entry.result == nullptr ? 0 : entry.result->duration_ms;
    table.add(cells_for(set, entry.run,
                        {html_monospaced(entry.name), html_line(entry.place), html_standing(entry.standing, entry.word),
                         fmt::format("<td class=\"number\" data-value=\"{}\">{}</td>", std::isfinite(ms) ? ms : 0,
                                     html_line(format_duration(ms))),
                         html_line(entry.message)}));
  }
  return table.text();
}

std::string measurements_section(const RunSet& set, const std::vector<Entry>& entries) {
  HtmlTable table(headings_for(set, {"Case", "On", "What", "Value", "Verdict", "Limits"}));
  for (const Entry& entry : entries) {
    if (entry.result == nullptr) continue;
    for (const harness::Measurement& one : entry.result->measurements) {
      table.add(cells_for(set, entry.run,
                          {html_monospaced(entry.name), html_line(entry.place), html_monospaced(one.key),
                           html_number(one.value), html_line(one.verdict), html_line(measurement_text(one))}));
    }
  }
  return table.text();
}

std::string pairs_section(const RunSet& set) {
  std::string text;
  for (std::size_t i = 0; i < set.runs.size(); ++i) {
    const std::string maps = pair_maps_of(set.runs[i]);
    if (maps.empty()) continue;
    text += set.is_one_run() ? maps : fmt::format("<h3>{}</h3>\n{}", html_line(set.labels[i]), maps);
  }
  return text.empty() ? text : pair_maps_key() + text;
}

std::string devices_section(const fleet::RunRecord& run) {
  harness::DeviceVerdicts verdicts;
  for (const harness::CaseResult& result : run.results) verdicts.add(result);
  HtmlTable table({"", "Device", "UUID", "PCI address", "Driver", "Verdict", "Results", "Next step"});
  for (const harness::DeviceVerdict& one : verdicts.of(run.start.devices, run.end)) {
    const harness::DeviceIdentity& device = run.start.devices[static_cast<std::size_t>(one.device)];
    table.add({fmt::format("device {}", device.index), html_line(device_text(device)), html_monospaced(device.uuid),
               html_monospaced(device.pci_bus_id), html_line(device.driver_version), html_verdict(one.verdict),
               html_line(counts_text(one.counts)), html_line(next_steps_text(one))});
  }
  if (const auto machine = verdicts.of_machine(run.start.devices, run.end)) {
    table.add({"machine", "", "", "", "", html_verdict(machine->verdict), html_line(counts_text(machine->counts)),
               html_line(next_steps_text(*machine))});
  }
  return table.text();
}

std::string run_section(const fleet::RunRecord& run) {
  std::vector<std::string> words;
  for (const std::string& word : run.start.command_line) words.push_back(shell_quoted(word));
  std::string text = fmt::format("<p>{}</p>\n<p class=\"faint\">started {} UTC on {}</p>\n", html_line(run_line(run)),
                                 utc_seconds(run.start.start_time), html_line(run.start.host_name));
  if (!run.start.golden_digest.empty()) {
    text += fmt::format("<p class=\"faint\">golden files and limits {}</p>\n", html_line(run.start.golden_digest));
  }
  if (!run.end.incomplete.empty()) text += fmt::format("<p><b>Incomplete:</b> {}</p>\n", html_line(run.end.incomplete));
  if (run.start.configuration) {
    text += fmt::format("<p>{}</p>\n", html_line(configuration_text(*run.start.configuration)));
  }
  return text + fmt::format("<pre>{}</pre>\n", html_escaped(fmt::format("{}", fmt::join(words, " "))));
}

}  // namespace

std::string html_report(RunSet set) {
  const std::vector<Entry> entries = entries_of(set);
  const harness::Verdict verdict = verdict_of(set.exit_code);
  std::string body = fmt::format("<h1>gpucheck: {}</h1>\n", html_verdict(verdict));
  if (!set.is_one_run()) {
    body += fmt::format("<p>{} runs: {}</p>\n", set.runs.size(), html_line(counts_of_all(set)));
  }
  for (std::size_t i = 0; i < set.runs.size(); ++i) {
    const std::string label = set.is_one_run() ? ""
                                               : fmt::format("<h2>{}: {}</h2>\n", html_line(set.labels[i]),
                                                             html_verdict(verdict_of(set.runs[i].end.exit_code)));
    body += label + run_section(set.runs[i]) + devices_section(set.runs[i]);
  }
  body += html_section("not-passed", "What did not simply pass", not_passed_section(set, entries));
  body += html_section("pairs", "Between each two devices", pairs_section(set));
  body += html_section("measurements", "Measured values and their limits", measurements_section(set, entries));
  body += html_section("results", "All results", results_section(set, entries));
  return html_page(fmt::format("gpucheck: {}", verdict_word(verdict)), body);
}

}  // namespace gpucheck::report
