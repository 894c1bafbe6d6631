#include "report/merged/changes_report.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "report/formats/json_parts.hpp"
#include "report/merged/merged_words.hpp"
#include "report/verdict_text.hpp"

namespace gpucheck::report {
namespace {

using harness::Verdict;
using OrderedJson = nlohmann::ordered_json;

/// "12.5 % worse: gemm.bf16.mean_tflops of NVIDIA H100, GPU-… of n4: 640 before, 560 after".
std::string value_text(const fleet::ValueChange& change, const Palette& palette) {
  const bool worse = change.gain < 0;
  const std::string place = change.place.empty() ? fmt::format("all {} GPUs", change.gpus) : change.place;
  return fmt::format(
      "{}  {}, {}: {:.6g} before, {:.6g} after\n",
      palette.paint(fmt::format("{:>6.1f} % {:<6}", 100 * std::abs(change.gain), worse ? "worse" : "better"),
                    worse ? Tone::bad : Tone::good),
      one_line(change.metric, 200), place, change.before, change.after);
}

std::string verdict_change_text(const fleet::VerdictChange& change, const fleet::Fleet& before,
                                const fleet::Fleet& after, const Palette& palette) {
  const fleet::FleetNode& node = after.nodes[change.after];
  std::string text = fmt::format("{}  {}, which was: {}\n",
                                 palette.paint(fmt::format("{:<10}", verdict_word(node.verdict)),
                                               node.verdict == Verdict::passed ? Tone::good : Tone::bad),
                                 one_line(node.name, 80), verdict_word(before.nodes[change.before].verdict));
  for (const std::string& reason : reasons_of(after, node)) text += fmt::format("            {}\n", reason);
  return text;
}

std::string lines_of(const char* what, const std::vector<std::string>& places) {
  std::string text;
  for (const std::string& place : places) text += fmt::format("{}: {}\n", what, place);
  return text;
}

}  // namespace

std::string changes_text(const fleet::Changes& changes, const fleet::Fleet& before, const fleet::Fleet& after,
                         const Palette& palette) {
  std::string text =
      fmt::format("gpucheck compare: {} and {} compared\n\n", count_text(changes.compared_nodes, "node", "nodes"),
                  count_text(changes.compared_values, "value", "values"));
  for (const fleet::VerdictChange& one : changes.verdicts) text += verdict_change_text(one, before, after, palette);
  for (const fleet::ValueChange& one : changes.values) text += value_text(one, palette);
  for (const fleet::ConditionChange& one : changes.conditions) {
    text +=
        fmt::format("{} changed: {} before, {} after\n", one.what, one_line(one.before, 300), one_line(one.after, 300));
  }
  text += lines_of("gone", changes.gone) + lines_of("new", changes.added);
  for (const fleet::Fleet* fleet : {&before, &after}) {
    for (const fleet::FileProblem& one : fleet->problems)
      text += fmt::format("problem: {}\n", one_line(one.reason, 400));
  }
  if (!text.ends_with("\n\n")) text += "\n";
  const char* const summary = changes.verdict == Verdict::failed ? "WORSE       measure again before you blame a GPU\n"
                              : changes.verdict == Verdict::passed ? "NOT WORSE\n"
                                                                   : "NOT JUDGED\n";
  return text + palette.paint(summary, changes.verdict == Verdict::passed ? Tone::good : Tone::bad);
}

std::string changes_json(const fleet::Changes& changes, const fleet::Fleet& before, const fleet::Fleet& after) {
  OrderedJson document = {{"schema", "gpucheck.changes/1"},
                          {"verdict", changes.verdict == Verdict::failed   ? "worse"
                                      : changes.verdict == Verdict::passed ? "not_worse"
                                                                           : "not_judged"},
                          {"compared_nodes", changes.compared_nodes},
                          {"compared_values", changes.compared_values},
                          {"conditions", OrderedJson::array()},
                          {"gone", changes.gone},
                          {"added", changes.added},
                          {"nodes", OrderedJson::array()},
                          {"values", OrderedJson::array()},
                          {"problems", OrderedJson::array()}};
  for (const fleet::ConditionChange& one : changes.conditions) {
    document["conditions"].push_back({{"what", one.what}, {"before", one.before}, {"after", one.after}});
  }
  for (const fleet::VerdictChange& one : changes.verdicts) {
    const fleet::FleetNode& node = after.nodes[one.after];
    document["nodes"].push_back({{"name", node.name},
                                 {"before", harness::to_text(before.nodes[one.before].verdict)},
                                 {"after", harness::to_text(node.verdict)},
                                 {"reasons", reasons_of(after, node)}});
  }
  for (const fleet::ValueChange& one : changes.values) {
    document["values"].push_back({{"metric", one.metric},
                                  {"place", one.place.empty() ? OrderedJson() : OrderedJson(one.place)},
                                  {"gpus", one.gpus},
                                  {"before", one.before},
                                  {"after", one.after},
                                  {"gain_ratio", one.gain}});
  }
  for (const fleet::Fleet* fleet : {&before, &after}) {
    for (const fleet::FileProblem& one : fleet->problems) {
      document["problems"].push_back({{"path", one.path}, {"reason", one.reason}});
    }
  }
  return text_of(document);
}

}  // namespace gpucheck::report
