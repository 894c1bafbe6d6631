#pragma once

#include <string>

#include "runner/plan/assignment.hpp"

namespace gpucheck::runner {

/// Where in `folder` one try of a case on its devices leaves its trace:
/// "FOLDER/alloc.fuzz.cuda-0.json", and "alloc.fuzz.cuda-0.repetition-2.attempt-2.json" for
/// what is not the first. Of letters, digits, ".", "_" and "-"; another name for each case, device,
/// repetition and try of a run. Empty for an empty folder.
/// @param attempt counts from 1.
std::string trace_path(const std::string& folder, const Assignment& assignment, int attempt);

}  // namespace gpucheck::runner
