#pragma once

#include <string>
#include <vector>

#include "replay/advice/advice.hpp"
#include "replay/formats/snapshot/stacks.hpp"

namespace gpucheck::replay {

/// One self-contained HTML page without a script: the ranking as bars, memory over time under
/// the recorded and the advised settings, what is live at the peak as a treemap by stack, and
/// the report's text. Whatever a file says is shown as text.
///
/// Marks are elements of class `smallest` and `peak` (bars), `reserved` and `allocated`
/// (curves), `group` (of the treemap), `limit`.
/// @param title the file's name. @param report for a person, as it would be printed
std::string advice_page(const std::vector<Advice>& advices, const StackTable& stacks, const std::string& title,
                        const std::string& report);

}  // namespace gpucheck::replay
