#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "harness/run/events.hpp"
#include "runner/plan/assignment.hpp"
#include "runner/plan/options.hpp"

namespace gpucheck::runner {

/// One assignment from its turn to its result, with what its attempts ended in.
class Task {
 public:
  /// @param index its place in the schedule of its round.
  Task(Assignment assignment, std::size_t index) : assignment_(std::move(assignment)), index_(index) {}

  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  [[nodiscard]] const Assignment& assignment() const noexcept { return assignment_; }
  [[nodiscard]] const PlannedCase& planned() const noexcept { return *assignment_.planned; }
  [[nodiscard]] const harness::Case& test_case() const noexcept { return *planned().test_case; }
  [[nodiscard]] const std::vector<int>& devices() const noexcept { return assignment_.devices; }
  /// `planned` must live as long as the task.
  void replace_planned(const PlannedCase& planned) noexcept { assignment_.planned = &planned; }

  [[nodiscard]] harness::SelectedCase selected() const;
  [[nodiscard]] bool needs_fresh_worker(Isolation isolation) const;
  /// How long one attempt may take. Waiting for idle GPUs is not part of a case, and must not look like a hang of it.
  [[nodiscard]] std::chrono::milliseconds limit(const Options& options) const;
  /// The number of the attempt that comes next, or is under way, from 1.
  [[nodiscard]] int attempt() const noexcept { return static_cast<int>(attempts_.size()) + times_remeasured_ + 1; }

  /// Whether the options allow another attempt after one that ended in `result`.
  [[nodiscard]] bool may_try_again(const harness::CaseResult& result, const Options& options) const;
  /// Keeps the result of an attempt that another one follows.
  void keep(harness::CaseResult result);
  /// The task's result, from that of its last attempt. Call once.
  [[nodiscard]] harness::CaseResult settle(harness::CaseResult last, const Options& options);

  // After its result, because its device is too slow among its peers:
  [[nodiscard]] bool may_be_remeasured(const Options& options) const;
  void begin_remeasurement() noexcept;
  /// Whether it waits for that, or it is under way.
  [[nodiscard]] bool is_remeasured() const noexcept { return is_remeasured_; }
  /// The result of the repeated measurement. A failure that is not one of speed alone gets no other chance.
  [[nodiscard]] harness::CaseResult end_remeasurement(harness::CaseResult result, const Options& options);

 private:
  /// Gives the result, which knows only the worker's devices, those of the run.
  void name_devices(harness::CaseResult& result) const;

  Assignment assignment_;
  std::size_t index_;
  std::vector<harness::Attempt> attempts_;  ///< those that another one followed
  std::optional<harness::CaseResult> last_failure_;
  int times_remeasured_ = 0;
  bool is_remeasured_ = false;
};

/// Whether the outcome is a failure, or an error of any kind.
[[nodiscard]] bool is_bad(harness::Outcome outcome) noexcept;

}  // namespace gpucheck::runner
