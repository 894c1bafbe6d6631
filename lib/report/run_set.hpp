#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fleet/across_runs.hpp"
#include "fleet/run_record.hpp"

namespace gpucheck::report {

/// What a report is written of: one run, or several together.
struct RunSet {
  std::vector<fleet::RunRecord> runs;    ///< at least one
  std::vector<std::string> labels = {};  ///< what each is called among several; none of a run alone
  fleet::AcrossRuns across = {};
  int exit_code = 0;  ///< the verdict on all of them together

  [[nodiscard]] bool is_one_run() const noexcept { return labels.empty(); }
};

/// The run alone, with the exit code that its end says.
inline RunSet only(fleet::RunRecord run) {
  RunSet set{.runs = {}, .exit_code = run.end.exit_code};
  set.runs.push_back(std::move(run));
  return set;
}

/// The document of one run, schema "gpucheck.result/1".
std::string json_document(fleet::RunRecord run);

/// The documents of several runs in one, schema "gpucheck.fleet/1".
/// @param exit_code the verdict on all of them together.
std::string fleet_json_document(std::vector<fleet::RunRecord> runs, int exit_code,
                                const fleet::AcrossRuns& across = {});

/// JUnit XML of one run.
std::string junit_document(fleet::RunRecord run);

/// JUnit XML of several runs, with `labels[i]` in the class names of the i-th.
std::string fleet_junit_document(std::vector<fleet::RunRecord> runs, const std::vector<std::string>& labels,
                                 const fleet::AcrossRuns& across = {});

/// The same as writers of reports (formats/formats.hpp): of one run, or of several.
std::string json_report(RunSet set);
std::string junit_report(RunSet set);

}  // namespace gpucheck::report
