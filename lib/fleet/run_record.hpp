#pragma once

#include <string>
#include <vector>

#include "harness/run/events.hpp"

namespace gpucheck::fleet {

/// One run, whole: what its events reported.
struct RunRecord {
  harness::RunStarted start;
  std::vector<harness::CaseResult> results;  ///< in the order finished
  harness::RunFinished end;
  std::string file = {};  ///< from which it was read; empty for a run under way
};

}  // namespace gpucheck::fleet
