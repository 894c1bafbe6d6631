#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fleet/waivers.hpp"
#include "harness/run/durations.hpp"
#include "harness/run/events.hpp"
#include "harness/run/exit_codes.hpp"
#include "harness/values/run_settings.hpp"
#include "harness/values/world.hpp"
#include "runner/plan/resumed_run.hpp"
#include "runner/plan/run_deadline.hpp"

namespace gpucheck::runner {

enum class Isolation {
  worker,   ///< warm workers are used again for cases that do not need their own process
  process,  ///< a fresh process for every case
};

struct Options {
  std::string program = {};            ///< the binary to start as worker; "/proc/self/exe" normally
  harness::RunSettings settings = {};  ///< of the run
  harness::World world = {};           ///< the processes that communicate, for the cases between them
  /// Cases side by side on one device; 0: one per core, at most 8, or 2 on CUDA, and on all
  /// devices together at most one per core, but one on each.
  int jobs = 0;
  bool every_device = true;  ///< false: each case on the first device alone, or the first neighbours
  /// How long a worker may take to tell what devices there are, or to make its contexts: a
  /// cold node with eight GPUs and no persistence daemon needs tens of seconds.
  std::chrono::milliseconds start_limit{120'000};
  Isolation isolation = Isolation::worker;
  std::optional<std::chrono::milliseconds> timeout = {};  ///< instead of each case's deadline
  /// The deadline of the whole run. What does not fit is not started, what still runs then is killed, and both are
  /// reported.
  std::optional<RunDeadline> deadline = {};
  bool deadline_skips_ok = false;     ///< what was not started for that is a skip like any other
  harness::Durations durations = {};  ///< by which is known what fits
  bool fail_fast = false;
  int retries = 0;
  /// How often a case that failed by speed alone is measured again, `retries` or not: it fails when it never passes.
  /// Under a fault it is not.
  int remeasure = 2;
  int max_skips = -1;                      ///< more skips than this cannot be judged; -1: any number
  std::optional<int> skip_exit_code = {};  ///< the verdict on a run of nothing but skips
  std::string no_cases = "fail";           ///< what it means that the plan is empty: "pass", "warn" or "fail"
  std::string version = {};
  std::string golden_digest = {};        ///< of what judges (GoldenSet::digest)
  std::string host_name = {};            ///< of this machine
  std::optional<harness::Job> job = {};  ///< that an engine started the run in
  std::vector<std::string> command_line = {};
  /// Where each try of each case on each device leaves a trace of its own; empty: nowhere.
  std::string trace_folder = {};
  /// Called with the reason for each trace that could not be written, before the run's end is reported. The verdicts
  /// stay.
  std::function<void(const std::string&)> on_lost_trace = {};
  fleet::Waivers waivers = {};
  std::optional<harness::Configuration> configuration = {};  ///< the file that some of these come from
  std::optional<ResumedRun> resumed = {};                    ///< a run that was cut off, of which this is the rest
  /// The text of the file that `settings.telemetry` names; absent where it names none.
  std::optional<std::string> recording = {};
  std::chrono::milliseconds heartbeat{30'000};  ///< how often the sinks hear that time passes
};

struct RunSummary {
  harness::Counts counts = {};
  std::vector<harness::CaseResult> results = {};      ///< in the order finished
  std::vector<harness::Comparison> comparisons = {};  ///< of devices with each other
  harness::ExitCode exit_code = harness::ExitCode::not_judged;
};

}  // namespace gpucheck::runner
