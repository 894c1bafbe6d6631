#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fleet/peers.hpp"
#include "fleet/waivers.hpp"
#include "harness/run/events.hpp"

namespace gpucheck::report {

/// One run, whole: what its events reported.
struct RunRecord {
  harness::RunStarted start;
  std::vector<harness::CaseResult> results;  ///< in the order finished
  harness::RunFinished end;
};

/// What GPUs of several runs differ in. The device of a value is its subject's number.
struct AcrossRuns {
  std::vector<harness::Comparison> comparisons = {};
  std::vector<fleet::Subject> subjects = {};
};

/// Compares the runs with each other. A failure that a waiver covers, by the day on which its run started, is waived.
AcrossRuns compare_runs(const std::vector<RunRecord>& runs, const fleet::Waivers& waivers);

/// What a report is written of: one run, or several together.
struct RunSet {
  std::vector<RunRecord> runs;           ///< at least one
  std::vector<std::string> labels = {};  ///< what each is called among several; none of a run alone
  AcrossRuns across = {};
  int exit_code = 0;  ///< the verdict on all of them together

  [[nodiscard]] bool is_one_run() const noexcept { return labels.empty(); }
};

/// The run alone, with the exit code that its end says.
inline RunSet only(RunRecord run) {
  RunSet set{.runs = {}, .exit_code = run.end.exit_code};
  set.runs.push_back(std::move(run));
  return set;
}

/// The document of one run, schema "gpucheck.result/1".
std::string json_document(RunRecord run);

/// The documents of several runs in one, schema "gpucheck.fleet/1".
/// @param exit_code the verdict on all of them together.
std::string fleet_json_document(std::vector<RunRecord> runs, int exit_code, const AcrossRuns& across = {});

/// JUnit XML of one run.
std::string junit_document(RunRecord run);

/// JUnit XML of several runs, with `labels[i]` in the class names of the i-th.
std::string fleet_junit_document(std::vector<RunRecord> runs, const std::vector<std::string>& labels,
                                 const AcrossRuns& across = {});

/// The same as writers of reports (formats/formats.hpp): of one run, or of several.
std::string json_report(RunSet set);
std::string junit_report(RunSet set);

}  // namespace gpucheck::report
