#include "report/case_text.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string_view>

#include "base/text/sanitize.hpp"
#include "harness/result/failure_kinds.hpp"
#include "report/mismatch_table.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseResult;
using harness::Outcome;

constexpr std::string_view indent = "       ";  // under the name
constexpr std::size_t shown_output_lines = 10;
constexpr std::size_t longest_output_line = 300;

std::string outcome_word(const CaseResult& result) {
  if (result.flaky) return "FLAKY";
  if (harness::is_marked(result)) return "WARN";
  std::string word(harness::to_text(result.outcome));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return word;
}

Tone tone_of(const CaseResult& result) {
  if (result.flaky || harness::is_marked(result) || result.waiver || result.outcome == Outcome::skip)
    return Tone::doubtful;
  return result.outcome == Outcome::pass ? Tone::good : Tone::bad;
}

std::string warned_keys(const CaseResult& result) {
  std::vector<std::string> keys;
  for (const harness::Mismatch& warning : result.warnings) keys.push_back(one_line(warning.key));
  return fmt::format("{}", fmt::join(keys, ", "));
}

/// What fits behind the time: why it was skipped, or that it was not a plain pass.
std::string remark(const CaseResult& result) {
  if (result.outcome == Outcome::skip) return "  " + cause(result);
  if (result.waiver) return "  " + waiver_text(*result.waiver);
  if (result.flaky) return fmt::format("  passed on attempt {}", result.earlier_attempts.size() + 1);
  if (!result.warnings.empty() && result.outcome == Outcome::pass)
    return "  passed with a warning: " + warned_keys(result);
  if (harness::is_marked(result)) return "  passed, but not by much: see what is marked";
  if (result.outcome == Outcome::pass && result.deadline_extension_ms > 0) {
    return fmt::format("  {} beyond its deadline: it waited for a processor that long",
                       format_duration(result.deadline_extension_ms));
  }
  return {};
}

std::string head_line(const CaseResult& result, const CaseTextOptions& options) {
  const std::string name = display_name(result);
  const std::string padding(options.name_width - std::min(options.name_width, columns(name)), ' ');
  const std::string place = options.show_devices ? fmt::format("  {:<11}", place_text(result.devices)) : "";
  return fmt::format("{}  {}{}{}  {:>10}{}\n",
                     options.palette.paint(fmt::format("{:<5}", outcome_word(result)), tone_of(result)), name, padding,
                     place, format_duration(result.duration_ms), remark(result));
}

void add_line(std::string& text, std::string_view line) { text.append(indent).append(line).append("\n"); }

void add_attempts(std::string& text, const CaseResult& result) {
  for (std::size_t i = 0; i < result.earlier_attempts.size(); ++i) {
    const harness::Attempt& attempt = result.earlier_attempts[i];
    add_line(text, fmt::format("attempt {}: {} after {}: {}", i + 1, harness::to_text(attempt.outcome),
                               format_duration(attempt.duration_ms), one_line(attempt.reason)));
  }
}

// 64 KiB hold ten lines of any program that speaks in lines.
void add_output(std::string& text, std::string_view stream, std::string_view raw) {
  const std::string clean = clean_text(raw.substr(raw.size() - std::min(raw.size(), std::size_t{64} * 1024)));
  std::string_view rest = last_lines(clean, shown_output_lines);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    add_line(text, fmt::format("{} | {}", stream, one_line(rest.substr(0, end), longest_output_line)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void add_observations(std::string& text, const CaseResult& result) {
  std::size_t width = 0;
  for (const auto& [key, value] : result.observations) width = std::max(width, columns(one_line(key)));
  for (const auto& [key, value] : result.observations) {
    const std::string label = one_line(key);
    add_line(text, fmt::format("{}{} = {}", label, std::string(width - columns(label), ' '),
                               one_line(harness::to_text(value))));
  }
}

/// Every measured value that has a limit, whatever the verdict: what a pass rests on.
void add_measurements(std::string& text, const CaseResult& result) {
  std::size_t width = 0;
  for (const harness::Measurement& one : result.measurements) width = std::max(width, columns(one_line(one.key)));
  for (const harness::Measurement& one : result.measurements) {
    const std::string label = one_line(one.key);
    add_line(text, fmt::format("{}{} {}", label, std::string(width - columns(label), ' '), measurement_text(one)));
  }
  for (const harness::GpuTelemetry& gpu : result.telemetry) {
    if (!gpu.before || gpu.before->is_idle) continue;
    add_line(text, fmt::format("device {} was not seen idle in {} before: {}", gpu.device,
                               format_duration(gpu.before->waited_ms), one_line(gpu.before->reason)));
  }
}

void add_warnings(std::string& text, const CaseResult& result, const CaseTextOptions& options) {
  for (const std::string& line :
       mismatch_table(result.warnings, std::max(options.line_width, indent.size()) - indent.size())) {
    add_line(text, line);
  }
  for (const harness::FailureKind* kind : harness::warned_of(result)) {
    add_line(text, "warning: " + next_step_text(*kind));
  }
}

void add_next_steps(std::string& text, const CaseResult& result) {
  for (const harness::FailureKind* kind : harness::failures_of(result)) {
    add_line(text, next_step_text(*kind));
  }
}

void add_failure(std::string& text, const CaseResult& result, const CaseTextOptions& options) {
  if (result.outcome != Outcome::fail || result.mismatches.empty()) add_line(text, cause(result));
  for (const std::string& line :
       mismatch_table(result.mismatches, std::max(options.line_width, indent.size()) - indent.size())) {
    add_line(text, line);
  }
  add_output(text, "stdout", result.output_tail);
  add_output(text, "stderr", result.error_tail);
  add_next_steps(text, result);
  if (const std::string rerun = rerun_text(result); !rerun.empty()) add_line(text, rerun);
}

}  // namespace

std::string case_text(const CaseResult& result, const CaseTextOptions& options) {
  std::string text = head_line(result, options);
  add_attempts(text, result);
  add_measurements(text, result);
  if (options.verbose) add_observations(text, result);
  add_warnings(text, result, options);
  if (result.outcome != Outcome::pass && result.outcome != Outcome::skip) add_failure(text, result, options);
  return text;
}

}  // namespace gpucheck::report
