#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/case/context.hpp"
#include "harness/result/result.hpp"

namespace gpucheck::harness {

/// The rule that speaks of the hardware alone: it is judged however the case itself ended.
inline constexpr std::string_view hardware_rule = "no_new_hardware_errors";

/// How running a case's function ended, before any golden file is looked at.
struct Execution {
  enum class Status { completed, skipped, error, crashed };
  Status status = Status::error;
  std::string reason;                  ///< for all but completed
  ProgramEnd program = {};             ///< of one that ended in a way which is not completed
  std::vector<Mismatch> broken_rules;  ///< class-wide rules, judged after a completed case; the hardware's, after any
  std::vector<GpuTelemetry> telemetry = {};  ///< of each of the case's devices
  double duration_ms = 0;                    ///< wall time of the case's function and the rules
  /// The process must not run another case: a sticky error, a leak or a broken rule.
  bool contaminated = false;
};

/// Checks the needs, runs the case in this process, then the class-wide rules. Never
/// throws. Each broken rule is a mismatch of basis "rule", its key one of
/// - rule.no_sticky_error: synchronizing the device, its last error and a plain question show none;
/// - rule.allocator_memory_freed: the runtime's allocator has no block in use;
/// - rule.pinned_blocks_freed: nor has its pinned allocator;
/// - rule.device_memory_freed, rule.pinned_memory_freed: what was allocated through
///   `Context::device()` was freed, once the runtime with its caches is gone. Counted
///   call by call: free memory as the device reports it is moved by other processes too;
/// - rule.handles_destroyed: so was every stream, event, graph and executable graph that
///   was created through `Context::device()`, there and on the device itself;
/// - rule.library_frees_its_own: of what an allocator library frees, through the functions
///   that gpucheck gives it, the device rejected nothing;
/// - rule.settings_restored, rule.memory_fraction_restored, rule.capture_mode_restored,
///   rule.current_stream_restored: as found, on the thread that ran the case;
/// - rule.no_new_hardware_errors: the driver counted no new uncorrectable error, no pending or failed row remap and no
///   XID that no program causes, on any of the case's GPUs;
/// - rule.no_hazard: the driver noticed no unordered access but those that the case declared;
/// - rule.expected_races: of each declaration it noticed one, where it notices any.
Execution execute(Context::Setup setup);

/// Runs a child function of a case, without needs or rules. Returns the exit code for
/// the process; an exception goes to stderr and gives 1. Never throws.
int execute_child(Context::Setup setup, const Child& child);

}  // namespace gpucheck::harness
