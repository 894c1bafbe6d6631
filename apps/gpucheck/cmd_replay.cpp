#include <fmt/format.h>
#include <fmt/ranges.h>

#include "replay_report.hpp"
#include "report/sanitize.hpp"
#include "terminal.hpp"

namespace gpucheck::application {

namespace {

/// Why what was printed is no verdict.
void note_not_judged(const SubjectReplays& result) {
  const std::string name = report::one_line(result.subject->trace.name, 60);
  if (result.verdict == ReplayVerdict::empty) note(name + " holds no events: there was nothing to judge");
  if (result.verdict == ReplayVerdict::nothing_to_compare) {
    note(name +
         " says nothing of what its steps must lead to (no stats_after_op, final_memory_stats or final_segments): "
         "nothing was compared; --settings or --memory-limit asks what it would come to");
  }
}

/// "after each of 120 steps, 122 statistics at the end": what the file has to compare.
std::string expectations_of(const replay::Trace& trace) {
  std::vector<std::string> parts;
  if (!trace.expected_figures.empty()) {
    parts.push_back(fmt::format("{} figures after each of {} steps", trace.figure_columns.size(), trace.events.size()));
  }
  if (!trace.final_statistics.empty()) {
    parts.push_back(fmt::format("{} statistics at the end", trace.final_statistics.size()));
  }
  if (trace.final_segments) parts.push_back(fmt::format("{} segments at the end", trace.final_segments->size()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string why_not_compared(const ReplaySubject& subject, const ReplayOptions& options) {
  if (!subject.has_expectations() || can_compare(subject, options)) return "";
  return fmt::format("not compared: {}: {} has no part in how PyTorch's caching allocator cuts and keeps its segments",
                     expectations_of(subject.trace), report::one_line(runtime::to_text(options.allocator), 200));
}

std::string settings_label(const std::string& settings) {
  return settings.empty() ? "(defaults)" : report::one_line(settings, 60);
}

std::string replay_text(std::span<const SubjectReplays> results, const ReplayOptions& options) {
  std::string text = comparison_text(results);
  for (const SubjectReplays& result : results) {
    if (result.replays.front().what_if) text += (text.empty() ? "" : "\n") + what_if_text(result, options);
  }
  return text;
}

int replay(const Environment& /*environment*/, const ReplayOptions& options) {
  const std::vector<ReplaySubject> subjects = load_subjects(options);
  const std::vector<SubjectReplays> results = play_all(subjects, options);
  print(options.json ? replay_document(results, options) : replay_text(results, options));
  if (!results.empty() && !results[0].replays[0].device_note.empty()) note(results[0].replays[0].device_note);
  for (const SubjectReplays& result : results) {
    note_not_judged(result);
  }
  return static_cast<int>(exit_code(results));
}

}  // namespace gpucheck::application
