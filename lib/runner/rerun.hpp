#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/runner.hpp"

namespace gpucheck::runner {

/// `word` as a POSIX shell reads it back unchanged.
std::string shell_quoted(std::string_view word);

/// The command that runs one case with these settings, or, under a fault, proves it.
std::string rerun_command(std::string_view case_name, const harness::RunSettings& settings);

/// The command that runs one case again on the same device with the same parameters and
/// seed.
/// @param run_seed what `--seed` was: the case's own is made of it.
/// @param device the resolved name, without "auto".
std::string rerun_command(const PlannedCase& planned, std::uint64_t run_seed, std::string_view device);

}  // namespace gpucheck::runner
