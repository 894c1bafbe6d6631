#pragma once

#include <string>

#include "fleet/changes/changes.hpp"
#include "report/palette.hpp"

/// What has changed between two runs of a node, or of a fleet.
namespace gpucheck::report {

/// For the console: what is worse first.
std::string changes_text(const fleet::Changes& changes, const fleet::Fleet& before, const fleet::Fleet& after,
                         const Palette& palette);

/// gpucheck.changes/1.
std::string changes_json(const fleet::Changes& changes, const fleet::Fleet& before, const fleet::Fleet& after);

}  // namespace gpucheck::report
