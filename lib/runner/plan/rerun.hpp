#pragma once

#include <string>
#include <string_view>

#include "runner/plan/options.hpp"
#include "runner/plan/plan.hpp"

namespace gpucheck::runner {

/// The command that runs one case with these settings, its fault among them.
std::string rerun_command(std::string_view case_name, const harness::RunSettings& settings);

/// The command that runs one case again on the same device, with everything that can make
/// it end otherwise: its parameters, seed and fault, its time limit, a process of its own.
/// @param options the run's; the case's own seed is made of the run's.
/// @param device the resolved name, without "auto".
std::string rerun_command(const PlannedCase& planned, const Options& options, std::string_view device);

}  // namespace gpucheck::runner
