#pragma once

#include <string>
#include <vector>

#include "fleet/across_runs.hpp"
#include "fleet/run_record.hpp"
#include "fleet/waivers.hpp"
#include "harness/run/exit_codes.hpp"

namespace gpucheck::fleet {

/// Several runs, of one host or of many, judged together.
struct Merged {
  std::vector<RunRecord> runs;
  /// What each run is called among the others: its host; with the numbers of its devices ("node1.cuda0-1") where a host
  /// has several runs on different devices; and with their UUIDs where numbers are the same for different devices, as
  /// those of jobs that each see one GPU and call it 0.
  std::vector<std::string> labels;
  AcrossRuns across;
  /// Passed, failed or not judged. A run of nothing but skips has shown nothing; one with a GPU that differs from those
  /// of other runs has failed.
  std::vector<harness::ExitCode> verdicts;
  harness::ExitCode verdict = harness::ExitCode::not_judged;  ///< on all of them
};

/// @throws UsageError, which names both files, when two runs have judged one case on the same devices.
[[nodiscard]] Merged merge(std::vector<RunRecord> runs, const Waivers& waivers);

/// The exit code of one run that is reported again: an interruption was the run's, not the report's.
[[nodiscard]] int exit_code_of(const harness::RunFinished& end) noexcept;

}  // namespace gpucheck::fleet
