#include "runner/supervision/time_budget.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "harness/result/failure_kinds.hpp"
#include "runner/supervision/judge.hpp"

namespace gpucheck::runner {

using harness::CaseResult;
using harness::Estimate;
using std::chrono::milliseconds;

milliseconds TimeBudget::identify_limit() const {
  return options_.deadline ? std::min(options_.start_limit, options_.deadline->time_to_identify())
                           : options_.start_limit;
}

milliseconds TimeBudget::start_limit() const {
  return options_.deadline ? std::min(options_.start_limit, options_.deadline->time_to_identify() / 2)
                           : options_.start_limit;
}

Estimate TimeBudget::estimate(const PlannedCase& planned, bool on_simulator, milliseconds limit) const {
  return harness::estimate(*planned.test_case, !planned.settings.parameters.empty(), on_simulator, limit,
                           options_.durations);
}

bool TimeBudget::fits(const PlannedCase& planned, bool on_simulator, milliseconds limit) const {
  if (!options_.deadline) return true;
  return RunDeadline::Clock::now() + estimate(planned, on_simulator, limit).time <= options_.deadline->end_of_cases();
}

CaseResult TimeBudget::left_out(const PlannedCase& planned, bool on_simulator, milliseconds limit) const {
  const Estimate estimated = estimate(planned, on_simulator, limit);
  const auto left =
      std::chrono::duration_cast<milliseconds>(options_.deadline->end_of_cases() - RunDeadline::Clock::now());
  const bool is_measured = estimated.basis == Estimate::Basis::measured;
  CaseResult result = unjudged(
      planned, fmt::format("not started: it {} {} ms, and of the run's deadline of {} ms {} ms are left for cases",
                           is_measured ? "takes about" : "may take", estimated.time.count(),
                           options_.deadline->limit().count(), std::max(left, milliseconds(0)).count()));
  result.outcome = harness::Outcome::skip;
  if (!options_.deadline_skips_ok) blame_deadline(result);
  return result;
}

CaseResult TimeBudget::stopped(const PlannedCase& planned, RequestEnd end) const {
  CaseResult result = unjudged(planned, fmt::format("stopped after {:.0f} ms: the run's deadline of {} ms was near",
                                                    end.elapsed_ms, options_.deadline->limit().count()));
  if (end.abandoned) result.reason += "; the process could not be killed and was left behind: the driver holds it";
  result.duration_ms = end.elapsed_ms;
  result.observations = std::move(end.observations);
  result.output_tail = std::move(end.output_tail);
  result.error_tail = std::move(end.error_tail);
  blame_deadline(result);
  return result;
}

std::string TimeBudget::no_answer_text(double elapsed_ms) const {
  return fmt::format(
      "the driver did not say within {:.0f} ms which devices there are, of the {} ms that the run has: "
      "it hangs, or the deadline is too short",
      elapsed_ms, options_.deadline->limit().count());
}

void TimeBudget::blame_deadline(CaseResult& result) const {
  result.mismatches.push_back(
      {.key = "run_deadline",
       .expected = "time for the case",
       .seen = fmt::format("a deadline of {} ms for the whole run", options_.deadline->limit().count()),
       .basis = "rule",
       .failure = std::string(harness::find_failure_kind(harness::run_deadline_failure)->code)});
}

}  // namespace gpucheck::runner
