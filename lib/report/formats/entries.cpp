#include "report/formats/entries.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <set>
#include <utility>

#include "base/text/sanitize.hpp"
#include "harness/result/failure_kinds.hpp"
#include "report/comparison_text.hpp"
#include "report/mismatch_table.hpp"
#include "report/result_order.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseResult;
using harness::Comparison;
using harness::Outcome;
using harness::SelectedCase;

constexpr std::size_t details_columns = 100;
constexpr std::size_t stderr_tail_bytes = std::size_t{24} * 1024;
constexpr std::size_t stderr_tail_lines = 10;
constexpr std::size_t longest_reason = 4000;

Standing standing_of(const CaseResult& result) {
  if (result.waiver) return Standing::waived;
  switch (result.outcome) {
    case Outcome::pass:
      return harness::is_marked(result) ? Standing::warned : Standing::passed;
    case Outcome::skip:
      return Standing::skipped;
    case Outcome::error:
      return Standing::unjudged;
    default:
      return Standing::failed;
  }
}

std::string message_of(const CaseResult& result) {
  if (result.waiver) {
    return fmt::format("{}; {}: {}", waiver_text(*result.waiver), harness::to_text(result.outcome), cause(result));
  }
  if (result.outcome != Outcome::pass) return cause(result);
  std::vector<std::string> keys;
  for (const harness::Mismatch& warning : result.warnings) keys.push_back(one_line(warning.key));
  for (const harness::Measurement& measured : result.measurements) {
    if (measured.verdict == "warn") keys.push_back(one_line(measured.key));
  }
  return one_line(fmt::format("{}", fmt::join(keys, ", ")));
}

std::string warning_details(const CaseResult& result) {
  std::vector<std::string> lines = mismatch_table(result.warnings, details_columns);
  for (const harness::Measurement& measured : result.measurements) {
    if (measured.verdict == "warn") lines.push_back(one_line(measured.key) + " " + measurement_text(measured));
  }
  for (const harness::FailureKind* kind : harness::warned_of(result)) lines.push_back(next_step_text(*kind));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Entry entry_of(std::size_t run, const CaseResult& result) {
  const Standing standing = standing_of(result);
  Entry entry{.run = run,
              .name = display_name(result),
              .place = place_text(result.devices),
              .standing = standing,
              .word = std::string(harness::to_text(result.outcome)),
              .message = message_of(result),
              .result = &result};
  if (result.outcome == Outcome::pass) entry.details = warning_details(result);
  if (is_red(standing)) entry.details = details_of(result);
  if (standing == Standing::waived) entry.details = waiver_text(*result.waiver) + "\n" + details_of(result);
  return entry;
}

Entry entry_of(std::size_t run, const Comparison& comparison, const DeviceName& name_of) {
  const bool failed = harness::is_failure(comparison);
  const Standing unless_failed = comparison.verdict == "fail"   ? Standing::waived
                                 : comparison.verdict == "warn" ? Standing::warned
                                                                : Standing::passed;
  return {.run = run,
          .name = comparison_title(comparison),
          .standing = failed ? Standing::failed : unless_failed,
          .word = "comparison",
          .message = one_line(comparison.reason, longest_reason),
          .details = fmt::format("{}\n{}", one_line(comparison.reason, longest_reason),
                                 fmt::join(comparison_details(comparison, name_of), "\n"))};
}

Entry entry_of(std::size_t run, const NotRun& one) {
  CaseResult named;
  named.name = one.selected.name;
  named.repetition = one.selected.repetition;
  return {.run = run,
          .name = display_name(named),
          .place = place_text(one.selected.devices),
          .standing = Standing::unjudged,
          .word = "not run",
          .message = one.reason};
}

void add_entries(std::vector<Entry>& entries, std::size_t index, fleet::RunRecord& run) {
  sort_as_selected(run.results, run.start.selected);
  for (const CaseResult& result : run.results) entries.push_back(entry_of(index, result));
  for (const Comparison& one : run.end.comparisons) entries.push_back(entry_of(index, one, plain_device_name));
  for (const NotRun& one : not_run_of(run.end)) entries.push_back(entry_of(index, one));
}

}  // namespace

std::string details_of(const CaseResult& result) {
  std::vector<std::string> lines = {cause(result)};
  for (std::string& line : mismatch_table(result.mismatches, details_columns)) lines.push_back(std::move(line));
  for (const harness::FailureKind* kind : harness::failures_of(result)) lines.push_back(next_step_text(*kind));
  const std::string_view errors = result.error_tail;
  const std::string clean = clean_text(errors.substr(errors.size() - std::min(errors.size(), stderr_tail_bytes)));
  if (!clean.empty()) lines.push_back(fmt::format("stderr:\n{}", last_lines(clean, stderr_tail_lines)));
  if (std::string rerun = rerun_text(result); !rerun.empty()) lines.push_back(std::move(rerun));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::vector<NotRun> not_run_of(const harness::RunFinished& end) {
  std::vector<NotRun> all;
  std::multiset<SelectedCase> running(end.running.begin(), end.running.end());
  const std::string why = end.incomplete.empty() ? "" : "; " + one_line(end.incomplete);
  for (const SelectedCase& selected : end.not_run) {
    const auto started = running.find(selected);
    all.push_back({selected, (started == running.end() ? "the run ended before this case"
                                                       : "the run ended while this case was running") +
                                 why});
    if (started != running.end()) running.erase(started);
  }
  const std::int64_t unnamed = end.counts.not_run - std::ssize(end.not_run);
  if (unnamed <= 0) return all;
  all.push_back({{.name = "run.later_repetitions"},
                 fmt::format("the run ended before {} more results of later repetitions{}", unnamed, why)});
  return all;
}

std::vector<Entry> entries_of(RunSet& set) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < set.runs.size(); ++i) add_entries(entries, i, set.runs[i]);
  for (const Comparison& one : set.across.comparisons) {
    entries.push_back(entry_of(set.runs.size(), one, names_in(set.across)));
  }
  return entries;
}

harness::Verdict verdict_of(int exit_code) noexcept {
  if (exit_code == 0) return harness::Verdict::passed;
  return exit_code == 1 ? harness::Verdict::failed : harness::Verdict::not_judged;
}

std::string run_line(const fleet::RunRecord& run) {
  return fmt::format("{}{}; {} on {}, seed {}, gpucheck {}", counts_text(run.end.counts),
                     failed_comparisons_text(run.end.comparisons), format_duration(run.end.duration_ms),
                     device_text(run.start.devices), run.start.settings.seed, one_line(run.start.version));
}

std::string counts_of_all(const RunSet& set) {
  harness::Counts all;
  for (const fleet::RunRecord& run : set.runs) {
    const harness::Counts& one = run.end.counts;
    all.pass += one.pass;
    all.fail += one.fail;
    all.error += one.error;
    all.crash += one.crash;
    all.hang += one.hang;
    all.skip += one.skip;
    all.flaky += one.flaky;
    all.waived += one.waived;
    all.not_run += one.not_run;
  }
  return counts_text(all) + failed_comparisons_text(set.across.comparisons);
}

}  // namespace gpucheck::report
