#pragma once

#include <map>
#include <optional>
#include <vector>

#include "harness/result.hpp"

/// The exit codes of the gpucheck command; documented in README.md under "Exit codes".
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

/// Everything that was selected was skipped.
bool is_only_skips(const Counts& counts) noexcept;

/// The verdict where `skip_exit_code` stands for a run of nothing but skips, unless they
/// are more than `max_skips`.
ExitCode exit_code(const Counts& counts, int max_skips, std::optional<int> skip_exit_code) noexcept;

/// Of which devices a run has shown something: a skip shows nothing. Used by one thread.
class DeviceEvidence {
 public:
  void add(const CaseResult& result);
  /// Those with results that are all skips, by index.
  [[nodiscard]] std::vector<int> missing() const;

 private:
  std::map<int, bool> shown_;
};

/// The verdict of a run that came to `code`, where nothing is known of these devices: a pass of the others is none of
/// theirs.
ExitCode with_unproven(ExitCode code, const std::vector<int>& unproven_devices) noexcept;

/// Of a run that this signal interrupted: 128 and its number, as shells have it.
ExitCode interrupted_exit_code(int signal) noexcept;

}  // namespace gpucheck::harness
