#pragma once

#include <string>
#include <vector>

#include "replay/page/snapshot_page.hpp"

namespace gpucheck::replay {

/// What the page's script draws, as JSON that may stand inside a script element. Rows are
/// arrays, in the order that the script's own comment gives.
std::string page_data(const Snapshot& snapshot, const std::vector<std::size_t>& devices, const PageLimits& limits);

}  // namespace gpucheck::replay
