#pragma once

#include <string>

#include "fleet/nodes/kept_run.hpp"

namespace gpucheck::fleet {

/// All that decides what the cases of a run see, but for the device and where the site's own cases lie: its options in
/// one line.
std::string settings_text(const KeptRun& run);

}  // namespace gpucheck::fleet
