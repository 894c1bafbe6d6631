#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/case/case.hpp"
#include "harness/run/durations.hpp"

namespace gpucheck::application {

/// How long a run of these cases takes on one device; others run beside it.
struct RunEstimate {
  std::vector<harness::Estimate> cases;      ///< in their order
  std::chrono::milliseconds side_by_side{};  ///< all of them, as a run starts them
  int jobs = 1;                              ///< so many at a time
  bool on_simulator = false;
  std::size_t measured = 0;    ///< cases that were
  std::size_t unmeasured = 0;  ///< cases that may take up to their deadlines
};

/// @param device as on the command line; none is opened. @throws UsageError.
RunEstimate estimate_run(const std::vector<const harness::Case*>& cases, const std::string& device, int jobs,
                         const harness::Durations& durations);

/// For people.
std::string estimate_text(const std::vector<const harness::Case*>& cases, const RunEstimate& estimate);

}  // namespace gpucheck::application
