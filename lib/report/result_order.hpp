#pragma once

#include <string>
#include <vector>

#include "harness/result.hpp"

namespace gpucheck::report {

/// Sorts results, which come in the order in which cases happened to end, by the order
/// of `selected` names and then by repetition: the same for every run of one plan.
void sort_as_selected(std::vector<harness::CaseResult>& results, const std::vector<std::string>& selected);

}  // namespace gpucheck::report
