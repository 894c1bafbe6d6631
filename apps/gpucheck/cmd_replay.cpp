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

}  // namespace

std::string settings_label(const std::string& settings) {
  return settings.empty() ? "(defaults)" : report::one_line(settings, 60);
}

std::string replay_text(std::span<const SubjectReplays> results) {
  std::string text = comparison_text(results);
  for (const SubjectReplays& result : results) {
    if (result.replays.front().what_if) text += (text.empty() ? "" : "\n") + what_if_text(result);
  }
  return text;
}

int replay(const Environment& /*environment*/, const ReplayOptions& options) {
  const std::vector<ReplaySubject> subjects = load_subjects(options);
  const std::vector<SubjectReplays> results = play_all(subjects, options);
  print(options.json ? replay_document(results, options) : replay_text(results));
  if (!results.empty() && !results[0].replays[0].device_note.empty()) note(results[0].replays[0].device_note);
  for (const SubjectReplays& result : results) note_not_judged(result);
  return static_cast<int>(exit_code(results));
}

}  // namespace gpucheck::application
