#include "runner/supervision/task.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "harness/result/failure_kinds.hpp"
#include "harness/telemetry/idle_gate.hpp"
#include "runner/plan/rerun.hpp"
#include "runner/supervision/judge.hpp"

namespace gpucheck::runner {
namespace {

using harness::CaseResult;
using harness::Outcome;
using std::chrono::milliseconds;

/// A retry that could not be judged says nothing about the failure before it.
bool takes_nothing_back(const CaseResult& retry, const CaseResult& failure) {
  return retry.outcome == Outcome::skip || (retry.outcome == Outcome::error && failure.outcome != Outcome::error);
}

}  // namespace

bool is_bad(Outcome outcome) noexcept { return outcome != Outcome::pass && outcome != Outcome::skip; }

harness::SelectedCase Task::selected() const {
  return {.name = test_case().name, .devices = result_devices(assignment_), .repetition = planned().repetition};
}

bool Task::needs_fresh_worker(Isolation isolation) const {
  return isolation == Isolation::process || test_case().needs.own_process;
}

milliseconds Task::limit(const Options& options) const {
  const auto count = static_cast<int>(devices().size());
  const milliseconds waiting = test_case().needs.idle ? count * harness::IdleLimits{}.patience : milliseconds(0);
  return options.timeout.value_or(test_case().deadline) + waiting;
}

bool Task::may_try_again(const CaseResult& result, const Options& options) const {
  // The other processes would not try again with it.
  if (!is_bad(result.outcome) || test_case().needs.several_processes) return false;
  const bool measured_again = planned().settings.fault.empty() && harness::failed_by_speed_alone(result);
  const int tries = std::max(options.retries, measured_again ? options.remeasure : 0);
  return std::ssize(attempts_) < tries;
}

void Task::keep(CaseResult result) {
  attempts_.push_back({.outcome = result.outcome, .reason = result.reason, .duration_ms = result.duration_ms});
  last_failure_ = std::move(result);
}

/// The last of several attempts counts, unless it says nothing.
CaseResult Task::settle(CaseResult last, const Options& options) {
  CaseResult result = std::move(last);
  if (last_failure_ && takes_nothing_back(result, *last_failure_)) {
    attempts_.pop_back();
    const std::string later = fmt::format("{}: {}", harness::to_text(result.outcome), result.reason);
    result = std::move(*last_failure_);
    result.reason += fmt::format(" (tried again: {})", later);
  }
  explain_error(result);
  name_devices(result);
  result.earlier_attempts = attempts_;
  result.flaky = result.outcome == Outcome::pass && !result.earlier_attempts.empty();
  result.rerun_command = rerun_command(planned(), options, assignment_.rerun_device);
  return result;
}

void Task::name_devices(CaseResult& result) const {
  result.devices = result_devices(assignment_);
  for (harness::GpuTelemetry& gpu : result.telemetry) gpu.device = devices().at(static_cast<std::size_t>(gpu.device));
}

bool Task::may_be_remeasured(const Options& options) const {
  return times_remeasured_ < options.remeasure && planned().settings.fault.empty() &&
         !test_case().needs.several_processes;
}

void Task::begin_remeasurement() noexcept {
  ++times_remeasured_;
  is_remeasured_ = true;
}

CaseResult Task::end_remeasurement(CaseResult result, const Options& options) {
  is_remeasured_ = false;
  const bool is_speed = result.outcome == Outcome::pass || harness::failed_by_speed_alone(result);
  if (!is_speed) times_remeasured_ = options.remeasure;
  explain_error(result);
  name_devices(result);
  return result;
}

}  // namespace gpucheck::runner
