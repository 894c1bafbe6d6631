#include "report/journal/result_check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "base/error.hpp"
#include "base/text/sanitize.hpp"
#include "fleet/waivers.hpp"
#include "golden/document/matcher.hpp"
#include "golden/limits/limits.hpp"
#include "harness/result/failure_kinds.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseResult;
using harness::Measurement;
using harness::Mismatch;
using harness::Outcome;
using harness::RunStarted;

[[noreturn]] void reject(const CaseResult& result, std::string_view why) {
  throw Error(fmt::format("the result of \"{}\" {}", one_line(result.name, 80), why));
}

bool is_quiet(Outcome outcome) { return outcome == Outcome::pass || outcome == Outcome::skip; }

bool has_repeated_key(const harness::Observations& observations) {
  std::set<std::string_view> keys;
  return !std::ranges::all_of(observations, [&](const auto& one) { return keys.insert(one.key).second; });
}

void check_outcome(const CaseResult& result) {
  if (result.outcome == Outcome::pass && result.observations.empty()) reject(result, "is a pass that observed nothing");
  if (result.outcome == Outcome::pass && has_repeated_key(result.observations)) {
    reject(result, "is a pass that observed one key twice");
  }
  if (result.outcome == Outcome::fail && result.mismatches.empty()) reject(result, "is a failure without a mismatch");
  // A case that was not started for want of time says so by a mismatch.
  const bool lacked_time = result.outcome == Outcome::skip && harness::lacked_time(result);
  if (is_quiet(result.outcome) && !result.mismatches.empty() && !lacked_time) {
    reject(result, fmt::format("is a {} with a mismatch", harness::to_text(result.outcome)));
  }
  const bool has_end = result.exit_code || result.signal;
  if (is_quiet(result.outcome) && has_end) {
    reject(result, fmt::format("is a {} of a process that died", harness::to_text(result.outcome)));
  }
  if (result.outcome == Outcome::crash && !has_end) reject(result, "is a crash with neither an exit code nor a signal");
}

void check_process_end(const CaseResult& result) {
  const auto is_between = [](const std::optional<int>& number, int least, int greatest) {
    return !number || (*number >= least && *number <= greatest);
  };
  if (!is_between(result.exit_code, 0, greatest_exit_code)) reject(result, "has an exit code that no process has");
  if (!is_between(result.signal, 1, greatest_signal)) reject(result, "has a signal that does not exist");
}

void check_attempts(const CaseResult& result) {
  if (result.flaky != (result.outcome == Outcome::pass && !result.earlier_attempts.empty())) {
    reject(result, "is flaky where a pass on a retry is, and only there: its attempts say otherwise");
  }
  for (const harness::Attempt& attempt : result.earlier_attempts) {
    if (is_quiet(attempt.outcome)) reject(result, "was tried again after a pass or a skip");
    check_duration(attempt.duration_ms, "of an attempt");
  }
}

void check_codes(const CaseResult& result, const std::vector<Mismatch>& mismatches) {
  for (const Mismatch& mismatch : mismatches) {
    const harness::FailureKind* const kind = harness::find_failure_kind(mismatch.failure);
    const bool is_known = kind != nullptr && kind->code == mismatch.failure;
    if (!is_known && !mismatch.failure.empty()) {
      reject(result, fmt::format("names the failure \"{}\", which is not a code", one_line(mismatch.failure, 40)));
    }
  }
}

/// "unknown" is said where no limit could be worked out: then nothing follows from the numbers.
void check_measurement(const CaseResult& result, const Measurement& measurement) {
  // A key whose limit depends on a parameter has that behind a dot.
  const auto is_measured = [&](const harness::Observation& one) {
    return one.key == measurement.key || measurement.key.starts_with(one.key + ".");
  };
  const auto seen = std::ranges::find_if(result.observations, is_measured);
  const auto number = seen == result.observations.end() ? std::optional<double>() : golden::as_double(seen->value);
  const bool agrees =
      number && (*number == measurement.value || (std::isnan(*number) && std::isnan(measurement.value)));
  const std::string key = one_line(measurement.key, 80);
  if (!agrees) reject(result, fmt::format("has a measurement \"{}\" that it did not observe", key));
  const bool is_unknown = measurement.verdict == "unknown";
  if (!is_unknown && measurement.verdict != golden::verdict_by_bounds(measurement)) {
    reject(result, fmt::format("has another verdict on \"{}\" than its value and bounds give", key));
  }
  if (result.outcome == Outcome::pass && (is_unknown || measurement.verdict == "fail")) {
    reject(result, fmt::format("is a pass although \"{}\" is not", key));
  }
}

void check_waiver(const CaseResult& result, const RunStarted& start) {
  if (!result.waiver) return;
  CaseResult again = result;
  fleet::WaiverBook({*result.waiver}, start.start_time).apply(again, start.devices);
  if (again.waiver != result.waiver) reject(result, "has a waiver that does not cover it, or had expired");
}

void check_devices(const CaseResult& result, const RunStarted& start) {
  for (const harness::GpuTelemetry& gpu : result.telemetry) {
    if (gpu.device < 0 || gpu.device >= std::ssize(start.devices)) {
      reject(result, "has telemetry of a device that the run does not have");
    }
  }
}

}  // namespace

void check_duration(double milliseconds, std::string_view what) {
  if (!std::isfinite(milliseconds) || milliseconds < 0) {
    throw Error(fmt::format("the duration {} is negative or not finite: {} ms", what, milliseconds));
  }
}

void check_result(const CaseResult& result, const RunStarted& start) {
  check_duration(result.duration_ms, "of a case");
  check_duration(result.deadline_extension_ms, "by which a deadline was extended");
  check_outcome(result);
  check_process_end(result);
  check_attempts(result);
  check_codes(result, result.mismatches);
  check_codes(result, result.warnings);
  check_devices(result, start);
  for (const Measurement& measurement : result.measurements) check_measurement(result, measurement);
  if (!result.fault.empty() && result.fault != start.settings.fault)
    reject(result, "ran under another fault than the run");
  check_waiver(result, start);
}

}  // namespace gpucheck::report
