#pragma once

#include <string>
#include <vector>

#include "harness/context.hpp"
#include "harness/result.hpp"

namespace gpucheck::harness {

/// How running a case's function ended, before any golden file is looked at.
struct Execution {
  enum class Status { completed, skipped, error };
  Status status = Status::error;
  std::string reason;                        ///< for skipped and error
  std::vector<Mismatch> broken_rules;        ///< class-wide rules, judged after a completed case
  double duration_ms = 0;                    ///< wall time of the case's function and the rules
  /// The process must not run another case: a sticky error, a leak or a broken rule.
  bool contaminated = false;
};

/// Checks the needs, runs the case in this process, then the class-wide rules: no
/// device memory leaked, no sticky error left, settings restored, current stream
/// restored. Never throws.
Execution execute(Context::Setup setup);

/// Runs a child function of a case; the exit code for the process.
int execute_child(Context::Setup setup, const Child& child);

}  // namespace gpucheck::harness
