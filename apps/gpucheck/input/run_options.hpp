#pragma once

#include "input/selection.hpp"
#include "output/report_options.hpp"
#include "runner/runner.hpp"

namespace gpucheck::application {

/// The most repetitions, retries or cases that an option takes.
inline constexpr int max_count = 1'000'000;

/// All that is said of a run.
struct RunOptions {
  Selection selection;
  std::string rerun_journal = {};  ///< only what neither passed nor was skipped in its run; empty for none
  bool resume = false;             ///< goes on where the journal of its reports ends
  runner::Options runner;          ///< as typed; `runner_options` adds what the process knows
  runner::PlanOptions plan;        ///< its settings are the runner's
  ReportOptions reports;
};

}  // namespace gpucheck::application
