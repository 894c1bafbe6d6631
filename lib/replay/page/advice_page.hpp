#pragma once

#include <span>
#include <string>

#include "replay/advice/advice.hpp"
#include "replay/formats/snapshot/stacks.hpp"

namespace gpucheck::replay {

/// One of the programs that a page shows, and what its file is called.
struct AdvisedProgram {
  const Advice& advice;
  const StackTable& stacks;
  std::string name;
};

/// One self-contained HTML page without a script: the ranking as bars, memory over time under
/// the recorded and the advised settings, what is live at the peak as a treemap by stack, and
/// the report's text. Whatever a file says is shown as text.
///
/// Marks are elements of class `smallest` and `peak` (bars), `reserved` and `allocated`
/// (curves), `group` (of the treemap), `limit`.
/// @param report for a person, as it would be printed
std::string advice_page(std::span<const AdvisedProgram> programs, const std::string& title, const std::string& report);

}  // namespace gpucheck::replay
