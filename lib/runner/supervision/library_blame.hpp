#pragma once

#include "harness/result/result.hpp"
#include "harness/values/run_settings.hpp"

namespace gpucheck::runner {

/// Corrects the result of a case that ran with an allocator library of the user's: that is what is under test. What
/// ends the process or does not return is a failure of the library, with its last words, and so is what the case saw;
/// what the driver itself reports, and the health cases read, is not.
void blame_library(harness::CaseResult& result, const harness::RunSettings& settings);

}  // namespace gpucheck::runner
