#pragma once

#include <vector>

#include "harness/run/events.hpp"

namespace gpucheck::report {

/// Sorts results, which come in the order in which cases happened to end, by the order
/// of the `selected` names, then by repetition, then by device: the same for every run of
/// one plan.
void sort_as_selected(std::vector<harness::CaseResult>& results, const std::vector<harness::SelectedCase>& selected);

}  // namespace gpucheck::report
