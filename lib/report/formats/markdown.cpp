#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "base/text/utc.hpp"
#include "report/formats/entries.hpp"
#include "report/formats/markdown_text.hpp"
#include "report/verdict_text.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

std::string_view word_of(Standing standing) {
  switch (standing) {
    case Standing::failed:
      return "Failed";
    case Standing::unjudged:
      return "Not judged";
    case Standing::waived:
      return "Waived";
    case Standing::warned:
      return "Passed with a warning";
    default:
      return "";
  }
}

/// A device of the run, or the machine (null).
std::string verdict_row(const harness::DeviceVerdict& verdict, const harness::DeviceIdentity* device) {
  return fmt::format("| {} | {} | {} | **{}** | {} | {} |\n",
                     device == nullptr ? "machine" : fmt::format("device {}", device->index),
                     device == nullptr ? "" : html_code(device_text(*device)),
                     device == nullptr ? "" : html_code(device->uuid + " " + device->pci_bus_id),
                     verdict_word(verdict.verdict), counts_text(verdict.counts), next_steps_text(verdict));
}

std::string verdicts_of(const fleet::RunRecord& run) {
  harness::DeviceVerdicts verdicts;
  for (const harness::CaseResult& result : run.results) verdicts.add(result);
  std::string rows;
  for (const harness::DeviceVerdict& one : verdicts.of(run.start.devices, run.end)) {
    const auto device = std::ranges::find(run.start.devices, one.device, &harness::DeviceIdentity::index);
    if (device != run.start.devices.end()) rows += verdict_row(one, &*device);
  }
  if (const auto machine = verdicts.of_machine(run.start.devices, run.end)) rows += verdict_row(*machine, nullptr);
  if (rows.empty()) return {};
  return "| | Device | UUID and PCI address | Verdict | Results | Next step |\n|---|---|---|---|---|---|\n" + rows +
         "\n";
}

std::string run_section(const RunSet& set, std::size_t index) {
  const fleet::RunRecord& run = set.runs[index];
  std::string text = set.is_one_run() ? "" : fmt::format("### {}\n\n", code_span(set.labels[index]));
  text += fmt::format("{} {}, started {} UTC on {}\n\n",
                      set.is_one_run() ? "" : verdict_word(verdict_of(run.end.exit_code)), code_span(run_line(run)),
                      utc_seconds(run.start.start_time), code_span(run.start.host_name));
  if (run.start.configuration) text += code_span(configuration_text(*run.start.configuration)) + "\n\n";
  if (!run.end.incomplete.empty()) text += fmt::format("**Incomplete:** {}\n\n", code_span(run.end.incomplete));
  return text + verdicts_of(run);
}

/// A line that opens.
std::string entry_text(const RunSet& set, const Entry& entry) {
  const std::string host = set.is_one_run() || entry.run >= set.labels.size() ? "" : set.labels[entry.run];
  std::string head = fmt::format("{} {}", entry.word, html_code(entry.name));
  if (!entry.place.empty()) head += " on " + entry.place;
  if (!host.empty()) head += " of " + html_code(host);
  return fmt::format("<details><summary>{}: {}</summary>\n\n{}\n</details>\n\n", head, html_code(entry.message),
                     code_block(entry.details.empty() ? entry.message : entry.details));
}

std::string entries_text(const RunSet& set, const std::vector<Entry>& entries, std::size_t room) {
  std::string text;
  for (const Standing standing : {Standing::failed, Standing::unjudged, Standing::waived, Standing::warned}) {
    const auto count = std::ranges::count(entries, standing, &Entry::standing);
    if (count > 0) text += fmt::format("### {} ({})\n\n", word_of(standing), count);
    for (const Entry& entry : entries) {
      if (entry.standing != standing) continue;
      const std::string one = entry_text(set, entry);
      if (text.size() + one.size() > room) return text + "More results are left out here; a JSON report has all.\n";
      text += one;
    }
  }
  return text;
}

}  // namespace

std::string markdown_report(RunSet set) {
  const std::vector<Entry> entries = entries_of(set);
  std::string text = fmt::format("## gpucheck: {}\n\n", verdict_word(verdict_of(set.exit_code)));
  if (!set.is_one_run()) text += fmt::format("{} runs: {}\n\n", set.runs.size(), counts_of_all(set));
  for (std::size_t i = 0; i < set.runs.size(); ++i) {
    const std::string section = run_section(set, i);
    if (text.size() + section.size() > longest_summary / 2) {
      text += fmt::format("{} more runs are left out here; a JSON report has all.\n\n", set.runs.size() - i);
      break;
    }
    text += section;
  }
  return text + entries_text(set, entries, longest_summary - text.size());
}

}  // namespace gpucheck::report
