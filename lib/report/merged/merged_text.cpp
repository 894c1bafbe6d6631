#include <algorithm>
#include <fmt/format.h>

#include "base/text/sanitize.hpp"
#include "report/comparison_text.hpp"
#include "report/merged/merged_formats.hpp"
#include "report/merged/merged_words.hpp"
#include "report/verdict_text.hpp"

namespace gpucheck::report {
namespace {

using harness::Verdict;

std::string verdict_head(Verdict verdict, const Palette& palette) {
  return palette.paint(fmt::format("{:<10}", verdict_word(verdict)),
                       verdict == Verdict::passed ? Tone::good : Tone::bad);
}

/// Its first reason beside its name, the others below.
std::string node_text(const fleet::Fleet& fleet, const fleet::FleetNode& node, std::size_t width,
                      const Palette& palette) {
  std::string text = fmt::format("{}  {:<{}}", verdict_head(node.verdict, palette), one_line(node.name, 80), width);
  std::string margin = "  ";
  for (const std::string& reason : reasons_of(fleet, node)) {
    text += margin + reason + "\n";
    margin = std::string(14 + width, ' ');
  }
  return text.ends_with('\n') ? text : text + "\n";
}

/// Only what is worth looking at of a thousand GPUs.
harness::Comparison without_passes(harness::Comparison comparison) {
  std::erase_if(comparison.values, [](const harness::ComparedValue& one) { return one.verdict == "pass"; });
  return comparison;
}

}  // namespace

std::string merged_text(const fleet::Fleet& fleet, bool all, const Palette& palette) {
  std::string text = fmt::format("gpucheck merge: {}\n\n", extent_text(fleet));
  std::size_t width = 0;
  for (const fleet::FleetNode& node : fleet.nodes) width = std::max(width, std::min<std::size_t>(node.name.size(), 80));
  for (const Verdict verdict : {Verdict::failed, Verdict::not_judged, Verdict::passed}) {
    if (verdict == Verdict::passed && !all) continue;
    for (const fleet::FleetNode& node : fleet.nodes) {
      if (node.verdict == verdict) text += node_text(fleet, node, width, palette);
    }
  }
  for (const std::string& problem : problems_of(fleet)) text += fmt::format("problem: {}\n", problem);
  for (const fleet::Difference& one : fleet.differences) {
    text += fmt::format("nodes differ in their {}\n", difference_text(fleet, one));
  }
  const auto name_of = [&fleet](int subject) { return compared_device_name(fleet, subject); };
  for (const harness::Comparison& one : fleet.across.comparisons) {
    text += comparison_text(without_passes(one), name_of, palette);
  }
  for (const fleet::FleetSuspect& one : fleet.suspects) text += fmt::format("suspect: {}\n", fleet::text_of(one));
  if (!text.ends_with("\n\n")) text += "\n";
  return text + fmt::format("{}  {}\n", verdict_head(fleet.verdict, palette), nodes_text(fleet));
}

}  // namespace gpucheck::report
