#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/result/result.hpp"
#include "harness/rules/comparison.hpp"

/// The exit codes of the gpucheck command; documented in the manual's topic "exit-codes".
/// Small on purpose: srun reports the highest code of its tasks, and
/// node-problem-detector reads 0 and 1 and calls everything else unknown.
namespace gpucheck::harness {

/// Others than these: what a person chose for skips, and `interrupted_exit_code`.
enum class ExitCode : int {
  passed = 0,
  failed = 1,      ///< a case failed, crashed or hung
  usage = 2,       ///< the command line is wrong
  not_judged = 3,  ///< no device, driver or tool error, nothing selected, too many skips
};

/// The verdict of a finished run. A failure outweighs an error, unless it is waived;
/// nothing passed at all, or more skips than `max_skips`, cannot be judged.
ExitCode exit_code(const Counts& counts, int max_skips) noexcept;

/// More skips than allowed; of -1 any number is.
bool has_too_many_skips(const Counts& counts, int max_skips) noexcept;

/// The verdict of a run for which nothing was selected, by what that is to mean: "pass", "warn" or "fail".
ExitCode exit_code_of_no_cases(std::string_view meaning) noexcept;

/// Everything that was selected was skipped.
bool is_only_skips(const Counts& counts) noexcept;

/// The verdict where `skip_exit_code` stands for a run of nothing but skips, unless they
/// are more than `max_skips`.
ExitCode exit_code(const Counts& counts, int max_skips, std::optional<int> skip_exit_code) noexcept;

/// The verdict where cases were not started for want of time, and nobody has allowed that: no pass.
ExitCode with_lack_of_time(ExitCode code, bool lacked) noexcept;

/// What is left to be judged where repetitions that never began are allowed: of what was not run, the `named` cases.
Counts without_lacking_repetitions(Counts counts, std::size_t named, bool allowed) noexcept;

/// Knows of which devices a run has shown something: a skip shows nothing. Used by one thread.
class DeviceEvidence {
 public:
  void add(const CaseResult& result);
  /// Those with results that are all skips, and those of `devices` that cannot be used: what only reads is not evidence
  /// of them. By index.
  [[nodiscard]] std::vector<int> missing(std::span<const DeviceIdentity> devices) const;

 private:
  std::map<int, bool> shown_;
};

/// The verdict of a run that would end with `code`, where nothing is known of these devices: a pass of the others is
/// none of theirs.
ExitCode with_unproven(ExitCode code, const std::vector<int>& unproven_devices) noexcept;

/// The verdict of a run that would end with `code`, where devices differ from their peers.
ExitCode with_comparisons(ExitCode code, const std::vector<Comparison>& comparisons);

/// The exit code of a run that this signal interrupted: 128 and its number, as shells have it.
ExitCode interrupted_exit_code(int signal) noexcept;

}  // namespace gpucheck::harness
