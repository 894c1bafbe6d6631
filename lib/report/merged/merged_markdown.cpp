#include <fmt/format.h>

#include "report/formats/markdown_text.hpp"
#include "report/merged/merged_formats.hpp"
#include "report/merged/merged_words.hpp"
#include "report/verdict_text.hpp"

namespace gpucheck::report {
namespace {

using harness::Verdict;

std::string node_row(const fleet::Fleet& fleet, const fleet::FleetNode& node) {
  std::string reasons;
  for (const std::string& reason : reasons_of(fleet, node)) {
    if (!reasons.empty()) reasons += "<br>";
    reasons += html_code(reason);
  }
  return fmt::format("| {} | **{}** | {} |\n", html_code(node.name), verdict_word(node.verdict), reasons);
}

std::string nodes_section(const fleet::Fleet& fleet, std::size_t room) {
  std::string text;
  for (const Verdict verdict : {Verdict::failed, Verdict::not_judged}) {
    for (const fleet::FleetNode& node : fleet.nodes) {
      if (node.verdict != verdict) continue;
      if (text.empty()) text = "| Node | Verdict | Why |\n|---|---|---|\n";
      const std::string row = node_row(fleet, node);
      if (text.size() + row.size() > room) return text + "\nMore nodes are left out here; a JSON report has all.\n";
      text += row;
    }
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string merged_markdown(const fleet::Fleet& fleet) {
  std::string text = fmt::format("## gpucheck merge: {}\n\n{}\n\n{}\n\n", verdict_word(fleet.verdict),
                                 nodes_text(fleet), extent_text(fleet));
  const auto add = [&text](const std::string& line) {
    if (text.size() + line.size() < longest_summary / 2) text += line;
  };
  for (const std::string& problem : problems_of(fleet)) add(fmt::format("- **Problem:** {}\n", html_code(problem)));
  for (const fleet::Difference& one : fleet.differences) {
    add(fmt::format("- Nodes differ in their {}\n", html_code(difference_text(fleet, one))));
  }
  for (const harness::Comparison& one : fleet.across.comparisons) {
    if (one.verdict != "pass") add(fmt::format("- **{}** {}\n", html_code(one.verdict), html_code(one.reason)));
  }
  for (const fleet::FleetSuspect& one : fleet.suspects) {
    add(fmt::format("- **Suspect:** {}\n", html_code(fleet::text_of(one))));
  }
  if (!text.ends_with("\n\n")) text += "\n";
  return text + nodes_section(fleet, longest_summary - text.size());
}

}  // namespace gpucheck::report
