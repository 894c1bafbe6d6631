#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

#include "base/error.hpp"
#include "base/text/sanitize.hpp"
#include "commands/commands.hpp"
#include "commands/replay/replay_devices.hpp"
#include "commands/replay/replay_report.hpp"
#include "commands/replay/replay_settings.hpp"
#include "harness/case/registry.hpp"
#include "harness/result/outcome_text.hpp"
#include "output/error_report.hpp"
#include "output/terminal.hpp"
#include "replay/analysis/snapshot_summary.hpp"
#include "runner/process/isolated_call.hpp"

namespace gpucheck::application {

namespace {

/// Why what was printed is not a verdict.
void note_not_judged(const replay::SubjectReplays& result) {
  const std::string name = one_line(result.subject->trace.name, 60);
  if (result.verdict == replay::Verdict::empty) note(name + " holds no events: there was nothing to judge");
  if (result.verdict == replay::Verdict::nothing_to_compare) {
    note(name +
         " says nothing of what its steps must lead to (no stats_after_op, final_memory_stats or final_segments): "
         "nothing was compared; --settings or --memory-limit asks what it would need");
  }
}

/// "after each of 120 steps, 122 statistics at the end": what the file has to compare.
std::string expectations_of(const replay::Trace& trace) {
  std::vector<std::string> parts;
  if (!trace.expected_statistics.empty()) {
    parts.push_back(
        fmt::format("{} statistics after each of {} steps", trace.statistic_columns.size(), trace.events.size()));
  }
  if (!trace.final_statistics.empty()) {
    parts.push_back(fmt::format("{} statistics at the end", trace.final_statistics.size()));
  }
  if (trace.final_segments) parts.push_back(fmt::format("{} segments at the end", trace.final_segments->size()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Every glob must select something: one that silently selects nothing would be a trace
/// that silently is not checked. @throws EnvironmentError naming one that does not.
void keep_named(std::vector<replay::Subject>& subjects, const std::vector<std::string>& globs) {
  const auto matches = [&subjects](const std::string& glob) {
    return std::ranges::any_of(
        subjects, [&](const replay::Subject& subject) { return harness::matches_glob(glob, subject.trace.name); });
  };
  for (const std::string& glob : globs) {
    if (!matches(glob)) throw EnvironmentError(fmt::format("no trace in the files has a name like \"{}\"", glob));
  }
  if (globs.empty()) return;
  std::erase_if(subjects, [&](const replay::Subject& subject) {
    return std::ranges::none_of(
        globs, [&](const std::string& glob) { return harness::matches_glob(glob, subject.trace.name); });
  });
}

/// Reads every file, so that one that cannot be read is known before anything is played.
std::vector<replay::Subject> load_subjects(const ReplayOptions& options) {
  // Others know private pools only as captures, or not at all.
  const bool has_pools = options.allocator.kind == runtime::AllocatorChoice::Kind::caching;
  const replay::PrivatePools pools = has_pools ? replay::PrivatePools::kept : replay::PrivatePools::merged;
  // Settings that were asked for hold from beginning to end; other allocators have none that change anything.
  const replay::SettingChanges changes =
      has_pools && options.settings.empty() ? replay::SettingChanges::played : replay::SettingChanges::left_out;
  std::vector<replay::Subject> subjects;
  for (const std::string& file : options.files) {
    replay::FileSubjects content = replay::load_subjects(file, options.recorded_device, pools, changes);
    std::ranges::move(content.subjects, std::back_inserter(subjects));
    if (const std::string idle = replay::idle_devices_text(content.idle_devices); !idle.empty()) {
      note(fmt::format("{}: {}", one_line(file, 200), idle));
    }
  }
  keep_named(subjects, options.trace_names);
  return subjects;
}

/// What cannot be applied is rejected where it was asked for; where the file has it, the
/// report says so.
void check_library_options(std::span<const replay::Subject> subjects, const ReplayOptions& options) {
  if (options.allocator.kind != runtime::AllocatorChoice::Kind::library) return;
  if (!options.settings.empty()) throw UsageError("--settings: an allocator library takes no settings: leave them out");
  if (options.memory_limit_bytes && options.device != simulated_to_fit) {
    throw UsageError(
        "--memory-limit: an allocator library takes no limit: leave --device out, which gives it a simulated device of "
        "that size");
  }
  if (subjects.size() > 1) {
    throw UsageError(
        fmt::format("an allocator library keeps memory of one device from one trace to the next, so it plays one trace "
                    "in one run, and here are {}: choose one with --trace or --device-index",
                    subjects.size()));
  }
}

}  // namespace

std::string why_not_compared(const replay::Subject& subject, const replay::Request& request) {
  if (!subject.has_expectations() || can_compare(subject, request)) return "";
  return fmt::format("not compared: {}: {} has no part in how PyTorch's caching allocator cuts and keeps its segments",
                     expectations_of(subject.trace), one_line(runtime::to_text(request.allocator), 200));
}

harness::ExitCode exit_code_of(std::span<const replay::SubjectReplays> results) {
  switch (replay::outcome_of(results)) {
    case replay::Outcome::passed:
      return harness::ExitCode::passed;
    case replay::Outcome::failed:
      return harness::ExitCode::failed;
    case replay::Outcome::not_judged:
      break;
  }
  return harness::ExitCode::not_judged;
}

std::string settings_label(const std::string& settings) {
  return settings.empty() ? "(defaults)" : one_line(settings, 300);
}

std::string replay_text(std::span<const replay::SubjectReplays> results, const replay::Request& request) {
  std::string text = comparison_text(results);
  for (const replay::SubjectReplays& result : results) {
    if (result.replays.front().what_if) {
      if (!text.empty()) text += '\n';
      text += what_if_text(result, request);
    }
  }
  return text;
}

namespace {

int play_and_tell(std::span<const replay::Subject> subjects, const replay::Request& request,
                  const ReplayOptions& options) {
  const std::vector<replay::SubjectReplays> results = play_all(subjects, request);
  if (options.json) {
    print_document(replay_document(results, request));
  } else {
    print(replay_text(results, request));
  }
  if (!results.empty() && !results[0].replays[0].device_note.empty()) note(results[0].replays[0].device_note);
  for (const replay::SubjectReplays& result : results) {
    note_not_judged(result);
  }
  return static_cast<int>(application::exit_code_of(results));
}

std::string end_of_library(const runner::IsolatedCall& call, std::chrono::milliseconds limit) {
  if (call.timed_out) {
    return fmt::format("hang: the allocator library was not done within {} ms; --timeout gives it another limit",
                       limit.count());
  }
  if (!call.process.exit_code) return "crash: " + harness::process_end_text({}, call.process.signal);
  return fmt::format("crash: the allocator library ended its process, with exit code {}, before the trace had ended",
                     *call.process.exit_code);
}

/// What a library does to its process it does not do to the verdict, and what it prints is no
/// part of the report.
int play_isolated(const replay::Subject& subject, const replay::Request& request, const ReplayOptions& options) {
  flush_output();
  const KeptOutput report;
  const runner::IsolatedCall call = runner::call_isolated(
      [&] {
        report.take();
        return with_output(play_and_tell({&subject, 1}, request, options));
      },
      options.library_timeout);
  if (call.returned) {
    print_document(report.text());
    return *call.returned;
  }
  const std::string reason = end_of_library(call, options.library_timeout);
  if (options.json) {
    print_document(unfinished_replay_document(subject, request, reason));
  } else {
    print(fmt::format("{}: {}\n", one_line(subject.trace.name, 60), reason));
  }
  return static_cast<int>(harness::ExitCode::failed);
}

}  // namespace

int replay(const Environment& /*environment*/, const ReplayOptions& options) {
  const std::vector<std::string> settings = checked_settings(options.settings);
  const std::vector<replay::Subject> subjects = load_subjects(options);
  check_library_options(subjects, options);
  const replay::Request request{options.allocator, settings, options.memory_limit_bytes,
                                replay_devices(options.device)};
  const bool has_library = options.allocator.kind == runtime::AllocatorChoice::Kind::library;
  if (has_library && !subjects.empty()) return play_isolated(subjects.front(), request, options);
  return play_and_tell(subjects, request, options);
}

}  // namespace gpucheck::application
