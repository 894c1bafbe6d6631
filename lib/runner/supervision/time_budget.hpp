#pragma once

#include <chrono>

#include "harness/result/result.hpp"
#include "harness/run/durations.hpp"
#include "runner/plan/options.hpp"
#include "runner/plan/plan.hpp"
#include "runner/worker/worker_process.hpp"

namespace gpucheck::runner {

/// What a run has time for: all, where it has no deadline.
class TimeBudget {
 public:
  /// @param options must outlive it.
  explicit TimeBudget(const Options& options) : options_(options) {}

  /// How long the devices may take to say what they are.
  [[nodiscard]] std::chrono::milliseconds identify_limit() const;
  /// How long a worker may take to be ready: a device that does not answer must not take all the time.
  [[nodiscard]] std::chrono::milliseconds start_limit() const;

  /// Whether a case that is killed at `limit` can end in time.
  [[nodiscard]] bool fits(const PlannedCase& planned, bool on_simulator, std::chrono::milliseconds limit) const;
  /// The result of one that cannot: a skip, and it counts against the run unless that was allowed.
  [[nodiscard]] harness::CaseResult left_out(const PlannedCase& planned, bool on_simulator,
                                             std::chrono::milliseconds limit) const;
  /// The result of a case that was under way when the time was up: an error.
  [[nodiscard]] harness::CaseResult stopped(const PlannedCase& planned, RequestEnd end) const;
  /// Why nothing can be said of a case: the devices took `elapsed_ms` and gave no answer.
  [[nodiscard]] std::string no_answer_text(double elapsed_ms) const;

 private:
  [[nodiscard]] harness::Estimate estimate(const PlannedCase& planned, bool on_simulator,
                                           std::chrono::milliseconds limit) const;
  void blame_deadline(harness::CaseResult& result) const;

  const Options& options_;
};

}  // namespace gpucheck::runner
