#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fleet/nodes/fleet.hpp"
#include "report/palette.hpp"

/// What is said of a whole fleet. Each kind of report is a row of a table, as those of a run are.
namespace gpucheck::report {

struct MergedFormat {
  std::string_view name;     ///< of --output NAME=FILE
  std::string_view summary;  ///< for help texts
  std::string (*write)(const fleet::Fleet&);
};

std::span<const MergedFormat> merged_formats();

/// Null where there is none.
const MergedFormat* find_merged_format(std::string_view name);

/// For the console: every node that did not pass and why, what nodes differ in, and the verdict.
/// @param all nodes that passed, too.
std::string merged_text(const fleet::Fleet& fleet, bool all, const Palette& palette);

}  // namespace gpucheck::report
