#pragma once

#include <map>
#include <vector>

#include "harness/run/events.hpp"

namespace gpucheck::runner {

/// What is known of a run that was cut off and goes on.
struct ResumedRun {
  std::vector<harness::DeviceIdentity> devices;                  ///< that it was on
  std::map<harness::SelectedCase, harness::CaseResult> results;  ///< not run again
};

}  // namespace gpucheck::runner
