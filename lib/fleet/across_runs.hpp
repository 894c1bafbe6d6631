#pragma once

#include <chrono>
#include <vector>

#include "fleet/peers.hpp"
#include "fleet/run_record.hpp"
#include "fleet/waivers.hpp"

namespace gpucheck::fleet {

/// What GPUs of several runs differ in. The device of a value is its subject's number.
struct AcrossRuns {
  std::vector<harness::Comparison> comparisons = {};
  std::vector<Subject> subjects = {};
};

/// What runs differ in that `peers` has compared.
/// @param dates on which each run started.
[[nodiscard]] AcrossRuns waived_across(const Peers& peers,
                                       const std::vector<std::chrono::system_clock::time_point>& dates,
                                       const Waivers& waivers);

/// Compares the runs with each other. A failure that a waiver covers, by the day on which its run started, is waived.
[[nodiscard]] AcrossRuns compare_runs(const std::vector<RunRecord>& runs, const Waivers& waivers);

}  // namespace gpucheck::fleet
