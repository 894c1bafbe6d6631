#include <algorithm>
#include <fmt/format.h>

#include "base/text/sanitize.hpp"
#include "report/formats/entries.hpp"
#include "report/verdict_text.hpp"
#include "report/wording.hpp"

// Workflow commands of GitHub Actions, one a line: what a runner shows as annotations of the run. It shows ten errors,
// ten warnings and ten notices of a step at most, so the verdict comes first, as the one thing that must not be lost;
// the log has all lines. Escapes are those of actions/toolkit (packages/core/src/command.ts).
namespace gpucheck::report {
namespace {

constexpr std::size_t longest_annotation_head = std::size_t{3} * 1024;
constexpr std::size_t longest_annotation_tail = 1024;

/// @param in_property where a comma ends the property, and a colon may end all of them
std::string escaped_for_command(std::string_view text, bool in_property) {
  std::string escaped;
  for (const char c : text) {
    const bool is_special = c == '%' || c == '\r' || c == '\n' || (in_property && (c == ':' || c == ','));
    if (is_special) {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string command(std::string_view level, const std::string& title, const std::string& text) {
  return fmt::format("::{} title={}::{}\n", level, escaped_for_command(title, true),
                     escaped_for_command(text.empty() ? title : text, false));
}

/// Empty for what needs nobody's eye.
std::string_view level_of(Standing standing) {
  if (is_red(standing)) return "error";
  if (standing == Standing::warned) return "warning";
  return standing == Standing::waived ? "notice" : "";
}

std::string annotation(const RunSet& set, const Entry& entry) {
  const std::string host =
      set.is_one_run() || entry.run >= set.labels.size() ? "" : " on " + one_line(set.labels[entry.run]);
  const std::string place = entry.place.empty() ? "" : " on " + entry.place;
  const std::string& why = entry.details.empty() ? entry.message : entry.details;
  return command(level_of(entry.standing), fmt::format("gpucheck {}: {}{}{}", entry.word, entry.name, place, host),
                 cut_middle(why, longest_annotation_head, longest_annotation_tail));
}

}  // namespace

std::string github_report(RunSet set) {
  const harness::Verdict verdict = verdict_of(set.exit_code);
  std::string lines;
  for (std::size_t i = 0; i < set.runs.size(); ++i) {
    lines += set.is_one_run() ? "" : one_line(set.labels[i]) + ": ";
    lines += run_line(set.runs[i]) + "\n";
    if (set.runs[i].start.configuration) lines += configuration_text(*set.runs[i].start.configuration) + "\n";
    if (!set.runs[i].end.incomplete.empty()) lines += one_line(set.runs[i].end.incomplete) + "\n";
  }
  lines.pop_back();
  const bool passed = verdict == harness::Verdict::passed;
  std::string text = command(passed ? "notice" : "error", fmt::format("gpucheck: {}", verdict_word(verdict)),
                             cut_middle(lines, longest_annotation_head, longest_annotation_tail));
  std::vector<Entry> entries = entries_of(set);
  std::erase_if(entries, [](const Entry& entry) { return level_of(entry.standing).empty(); });
  std::ranges::stable_sort(entries, std::ranges::greater(), &Entry::standing);
  for (const Entry& entry : entries) text += annotation(set, entry);
  return text;
}

}  // namespace gpucheck::report
