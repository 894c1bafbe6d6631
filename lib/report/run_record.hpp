#pragma once

#include <string>
#include <vector>

#include "harness/events.hpp"

namespace gpucheck::report {

/// One run, whole: what its events told.
struct RunRecord {
  harness::RunStarted start;
  std::vector<harness::CaseResult> results;  ///< in the order finished
  harness::RunFinished end;
};

/// The document of one run, schema "gpucheck.result/1".
std::string json_document(RunRecord run);

/// The documents of several runs in one, schema "gpucheck.fleet/1".
/// @param exit_code the verdict on all of them together.
std::string fleet_json_document(std::vector<RunRecord> runs, int exit_code);

/// JUnit XML of one run.
std::string junit_document(RunRecord run);

/// JUnit XML of several runs, with `labels[i]` in the class names of the i-th.
std::string fleet_junit_document(std::vector<RunRecord> runs, const std::vector<std::string>& labels);

}  // namespace gpucheck::report
