#include "runner/supervision/judge.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "base/text/sanitize.hpp"
#include "golden/judgement.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/result/outcome_text.hpp"
#include "runner/limits/environment_fault.hpp"
#include "runner/limits/start_fault.hpp"
#include "runner/supervision/library_blame.hpp"

namespace gpucheck::runner {
namespace {

using harness::CaseResult;
using harness::Mismatch;
using harness::Outcome;

harness::ParameterValues with_defaults(const PlannedCase& planned) {
  harness::ParameterValues values = planned.settings.parameters;
  for (const harness::Parameter& parameter : planned.test_case->parameters) {
    values.try_emplace(parameter.name, parameter.default_value);
  }
  return values;
}

/// What a program said last is why it ended as it did.
void add_last_words(CaseResult& result) {
  for (const std::string& tail : {result.error_tail, result.output_tail}) {
    const std::size_t end = tail.find_last_not_of(" \t\r\n");
    if (end == std::string::npos) continue;
    const std::size_t before = tail.find_last_of('\n', end);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    result.reason += fmt::format(": {}", one_line(tail.substr(begin, end + 1 - begin)));
    return;
  }
}

/// An error of the hardware while the case ran explains why it could not be judged, and is no less a failure.
void judge_incomplete(CaseResult& result, harness::Execution& execution) {
  result.reason = std::move(execution.reason);
  if (execution.program.exit_code || execution.program.signal) add_last_words(result);
  if (execution.status == harness::Execution::Status::skipped) {
    result.outcome = Outcome::skip;
  } else if (execution.status == harness::Execution::Status::crashed) {
    result.outcome = Outcome::crash;
    result.exit_code = execution.program.exit_code;
    result.signal = execution.program.signal;
  } else {
    result.outcome = Outcome::error;
  }
  std::ranges::transform(execution.broken_rules, std::back_inserter(result.mismatches), golden::coded);
  const std::string hardware = fmt::format("rule.{}", harness::hardware_rule);
  if (std::ranges::count(result.mismatches, hardware, &Mismatch::key) == 0) return;
  result.outcome = Outcome::fail;
  result.reason =
      fmt::format("{} (and the case did not complete: {})", harness::mismatch_text(result.mismatches), result.reason);
}

void judge_execution(CaseResult& result, harness::Execution execution, const golden::GoldenSet& goldens,
                     const golden::Conditions& conditions) {
  result.duration_ms = execution.duration_ms;
  result.telemetry = std::move(execution.telemetry);
  if (execution.status != harness::Execution::Status::completed) return judge_incomplete(result, execution);
  golden::judge_completed(result, std::move(execution.broken_rules), goldens, conditions);
}

void judge_deadline(CaseResult& result, const RequestEnd& end, std::chrono::milliseconds limit) {
  result.outcome = Outcome::hang;
  result.reason = fmt::format("not finished within its deadline of {} ms", limit.count());
  if (end.extension_ms > 0) {
    result.reason += fmt::format(", extended by {:.0f} ms as it waited for a processor that long", end.extension_ms);
  }
  if (end.abandoned) result.reason += "; the process could not be killed and was left behind";
  if (!end.environment) return;
  result.reason += ": " + end.environment->text;
  blame_environment(result, *end.environment);
}

/// From where the C++ library says what ended the process.
std::string_view last_exception(const std::string& words) {
  const std::size_t begin = words.rfind("terminate called after throwing");
  return begin == std::string::npos ? std::string_view() : std::string_view(words).substr(begin);
}

void judge_death(CaseResult& result, const RequestEnd& end) {
  result.outcome = Outcome::crash;
  result.exit_code = end.process.exit_code;
  result.signal = end.process.signal;
  result.reason = harness::process_end_text(end.process.exit_code, end.process.signal);
  std::optional<EnvironmentFault> fault = end.environment;
  if (!fault) fault = fault_in_words(last_exception(result.error_tail));
  if (!fault) return;
  result.reason += ": " + fault->text;
  blame_environment(result, *fault);
}

}  // namespace

void explain_error(CaseResult& result) {
  const bool is_unexplained = result.outcome == Outcome::error && result.mismatches.empty();
  const std::optional<EnvironmentFault> fault = is_unexplained ? fault_in_words(result.reason) : std::nullopt;
  if (fault) return blame_environment(result, *fault);
  const std::optional<std::string_view> start = is_unexplained ? start_fault_in_words(result.reason) : std::nullopt;
  if (!start) return;
  result.mismatches.push_back({.key = "device_start",
                               .expected = "a device that can be used",
                               .seen = result.reason,
                               .basis = "rule",
                               .failure = std::string(harness::find_failure_kind(*start)->code)});
}

CaseResult unjudged(const PlannedCase& planned, std::string reason) {
  CaseResult result;
  result.name = planned.test_case->name;
  result.reason = std::move(reason);
  result.parameters = with_defaults(planned);
  result.seed = planned.settings.seed;
  result.fault = planned.settings.fault;
  result.repetition = planned.repetition;
  return result;
}

CaseResult judge(const PlannedCase& planned, RequestEnd end, std::chrono::milliseconds limit,
                 const golden::GoldenSet& goldens, const golden::Conditions& of_run) {
  CaseResult result = unjudged(planned, {});
  golden::Conditions conditions = of_run;
  conditions.parameters = &result.parameters;
  result.duration_ms = end.elapsed_ms;
  result.deadline_extension_ms = end.extension_ms;
  result.observations = std::move(end.observations);
  result.output_tail = std::move(end.output_tail);
  result.error_tail = std::move(end.error_tail);
  switch (end.kind) {
    case RequestEnd::Kind::replied:
      if (auto* finished = std::get_if<FinishedReply>(&*end.reply)) {
        judge_execution(result, std::move(finished->execution), goldens, conditions);
      } else {
        result.reason = "the worker gave an answer to something else";
      }
      break;
    case RequestEnd::Kind::died:
      judge_death(result, end);
      break;
    case RequestEnd::Kind::deadline:
      judge_deadline(result, end, limit);
      break;
    case RequestEnd::Kind::closed_channel:
      result.reason = "the case's process closed its result pipe before it had finished";
      break;
    case RequestEnd::Kind::broken_channel:
      result.reason = "the case's process " + end.reason;
      break;
  }
  blame_library(result, planned.settings);
  return result;
}

}  // namespace gpucheck::runner
