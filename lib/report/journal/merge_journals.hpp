#pragma once

#include <string>
#include <vector>

#include "fleet/nodes/fleet.hpp"

namespace gpucheck::report {

/// Files that may be journals, and what stands in the way of finding more.
struct FoundJournals {
  std::vector<std::string> files = {};
  std::vector<fleet::FileProblem> problems = {};
};

/// @param paths as `merge_journals` takes them.
FoundJournals find_journals(const std::vector<std::string>& paths);

/// Reads the journals of many runs, side by side on all processors, and judges them together. Of each run no more is
/// held than `fleet::KeptRun`. The same files give the same fleet.
/// @param paths journals, and folders: of those every file named *.journal in them and below, in the order of their
/// names. A file that is not a journal, and what cannot be read, is a problem of the fleet.
/// @param again likewise, of a second measurement.
fleet::Fleet merge_journals(const std::vector<std::string>& paths, const std::vector<std::string>& again,
                            const fleet::FleetRules& rules);

}  // namespace gpucheck::report
