#include <algorithm>
#include <fmt/format.h>

#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "commands/replay/replay_report.hpp"
#include "output/text_table.hpp"
#include "replay/formats/trace/operations.hpp"

namespace gpucheck::application {

namespace {

using replay::Comparison;

std::string describe(const replay::Event& event) {
  using enum replay::OperationField;
  const replay::OperationShape& shape = replay::shape_of(event.action);
  std::string text(shape.name);
  for (const replay::OperationField field : shape.fields()) {
    if (field == id || field == pool || field == graph) text += fmt::format(" {}", event.id);
    if (field == size || field == memory_limit) text += fmt::format(" of {} bytes", event.size);
    if (field == stream) text += fmt::format(" on stream {}", event.stream);
  }
  return text;
}

std::string ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::string("-") : fmt::format("{}/{}", part, whole);
}

std::string end_label(const Comparison& comparison) {
  const std::size_t compared = comparison.final_statistics_compared + comparison.final_segments_compared;
  if (compared == 0) return "nothing expected";
  if (comparison.final_difference_count > 0) return fmt::format("{} differ", comparison.final_difference_count);
  return fmt::format("{} statistics, {} segments equal", comparison.final_statistics_compared,
                     comparison.final_segments_compared);
}

TextRow row_of(const replay::Subject& subject, const replay::Replay& replay) {
  const Comparison& comparison = *replay.comparison;
  return {one_line(subject.trace.name, 60),
          settings_label(replay.settings),
          end_label(comparison),
          comparison.equal() ? "equal" : "DIFFERS",
          fmt::format("{}", comparison.steps),
          ratio(comparison.equal_steps, comparison.compared_steps),
          ratio(comparison.addresses.equal, comparison.addresses.compared)};
}

std::string step_differences(const replay::Subject& subject, const Comparison& comparison) {
  if (comparison.first_differences.empty()) return "";
  const std::size_t step = comparison.first_differences.front().step;
  std::string text = fmt::format("  first at step {} of {} (counted from 0), {}:\n", step, comparison.steps,
                                 describe(subject.trace.events[step]));
  for (const replay::Difference& difference : comparison.first_differences) {
    text += fmt::format("    {}: expected {}, seen {}\n", difference.statistic, difference.expected, difference.seen);
  }
  return text;
}

std::string end_differences(const Comparison& comparison) {
  if (comparison.final_difference_count == 0) return "";
  std::string text = "  at the end:\n";
  for (const replay::FinalDifference& difference : comparison.final_differences) {
    text += fmt::format("    {}: expected {}, seen {}\n", one_line(difference.what, 80),
                        one_line(difference.expected, 120), difference.seen);
  }
  const std::size_t more = comparison.final_difference_count - comparison.final_differences.size();
  if (more > 0) text += fmt::format("    and {} more\n", more);
  return text;
}

std::string differences_of(const replay::Subject& subject, const replay::Replay& replay) {
  const Comparison& comparison = *replay.comparison;
  if (comparison.equal()) return "";
  return fmt::format("\n{}, {}, differs:\n", one_line(subject.trace.name, 60), settings_label(replay.settings)) +
         step_differences(subject, comparison) + end_differences(comparison);
}

struct Totals {
  std::size_t replays = 0, equal_replays = 0, steps = 0, equal_steps = 0;
  void add(const Comparison& comparison) {
    ++replays;
    equal_replays += comparison.equal() ? 1U : 0U;
    steps += comparison.compared_steps;
    equal_steps += comparison.equal_steps;
  }
};

}  // namespace

std::string comparison_text(std::span<const replay::SubjectReplays> results) {
  std::vector<TextRow> rows{{"trace", "settings", "at the end", "", "steps", "equal", "addresses"}};
  std::string differences;
  Totals totals;
  for (const replay::SubjectReplays& result : results) {
    for (const replay::Replay& replay : result.replays) {
      if (!replay.comparison) continue;
      rows.push_back(row_of(*result.subject, replay));
      differences += differences_of(*result.subject, replay);
      totals.add(*replay.comparison);
    }
  }
  if (totals.replays == 0) return "";
  return text_table(rows, 4) + differences +
         fmt::format("\n{} of {} traces equal, {} of {} steps\n", totals.equal_replays, totals.replays,
                     totals.equal_steps, totals.steps);
}

}  // namespace gpucheck::application
