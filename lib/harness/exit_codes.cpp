#include "harness/exit_codes.hpp"

namespace gpucheck::harness {

ExitCode exit_code(const Counts& counts, int max_skips) noexcept {
  if (counts.fail + counts.crash + counts.hang > counts.waived) return ExitCode::failed;
  // A run of nothing but skips has shown nothing, and neither has one that ended early.
  const bool no_evidence = counts.pass == 0;
  const bool too_many_skips = max_skips >= 0 && counts.skip > max_skips;
  if (counts.error > 0 || counts.not_run > 0 || no_evidence || too_many_skips) return ExitCode::not_judged;
  return ExitCode::passed;
}

ExitCode interrupted_exit_code(int signal) noexcept { return static_cast<ExitCode>(128 + signal); }

}  // namespace gpucheck::harness
