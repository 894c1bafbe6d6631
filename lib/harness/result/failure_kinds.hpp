#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "harness/values/fields.hpp"

/// What can be wrong with a GPU or its machine, by stable codes: what an operator acts on.
namespace gpucheck::harness {

struct CaseResult;

enum class Severity { warning, serious, critical };
enum class FailureCategory { configuration, memory, compute, interconnect, power_and_heat, software, tool };
/// The next step for whoever runs the machine.
enum class NextAction { rerun, configure, reset, reboot, drain, replace };

/// One kind of failure. Codes are never numbered anew nor given to another kind; tests/data/failure_codes.txt keeps
/// those that were given.
struct FailureKind {
  std::string_view code;  ///< "GC2001"
  std::string_view name;  ///< by which golden files say it: "memory_mismatch"
  Severity severity;
  FailureCategory category;
  NextAction action;
  std::string_view meaning;  ///< one sentence
  std::string_view advice;   ///< what to do next, and what when that does not help
  /// A speed was measured that is too low, or unsteady. What else goes on in a machine can do that for a moment.
  bool of_speed = false;
};

std::string_view to_text(Severity severity) noexcept;
std::string_view to_text(FailureCategory category) noexcept;
std::string_view to_text(NextAction action) noexcept;

/// All of them, by code.
std::span<const FailureKind> failure_kinds() noexcept;

/// By code, in any case of its letters, or by name; null where there is none.
const FailureKind* find_failure_kind(std::string_view code_or_name) noexcept;

/// What a golden file's key stands for where it names no kind: the runtime or the driver behaves unlike what is
/// expected.
inline constexpr std::string_view unnamed_failure = "behaviour_differs";
/// Likewise where a limit is not kept.
inline constexpr std::string_view unnamed_slowness = "too_slow";

/// The failure of a case that had no time left in its run.
inline constexpr std::string_view run_deadline_failure = "run_deadline";
/// It was not started, or was stopped, as the run's time was up, and nobody has allowed that.
bool lacked_time(const CaseResult& result);

/// The failures of a case's result: what the driver asks for, as it decides the next step; then the kinds of its
/// mismatches and of its outcome, the most severe first, each once. The outcome's own kind stands only where nothing
/// says what caused it. Empty for a pass and for a skip, unless it lacked time.
std::vector<const FailureKind*> failures_of(const CaseResult& result);

/// Likewise of its warnings, whatever the outcome.
std::vector<const FailureKind*> warned_of(const CaseResult& result);

/// Whether the case failed, and nothing but speeds is the reason.
bool failed_by_speed_alone(const CaseResult& result);

}  // namespace gpucheck::harness
