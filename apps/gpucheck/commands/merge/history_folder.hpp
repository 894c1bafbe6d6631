#pragma once

#include <string>
#include <vector>

#include "fleet/nodes/fleet.hpp"

namespace gpucheck::application {

/// What earlier merges left in a folder.
struct HistoryFolder {
  std::vector<fleet::HistoryRecord> records = {};
  std::vector<fleet::FileProblem> problems = {};
};

/// Reads the newest 200 files *.history of a folder; nothing where there is no such folder. A file that cannot be read
/// is a problem: without it a drift may not be seen.
HistoryFolder read_history(const std::string& folder);

/// Leaves what the fleet measured for the merges that come. The same fleet gives the same file.
/// @throws EnvironmentError where it cannot be written.
void write_history(const std::string& folder, const fleet::Fleet& fleet);

}  // namespace gpucheck::application
