#pragma once

#include "harness/case/context.hpp"

namespace gpucheck::site {

/// The exit codes of a program that are neither that it is done (0) nor that it went wrong (all others): as automake
/// has them.
inline constexpr int skip_code = 77;
inline constexpr int not_judged_code = 99;

/// The function of the site's own cases: runs the program and observes what it does.
/// @throws harness::ProgramEnded for one that ends otherwise than by exit code 0; Error for what is not an observation;
/// EnvironmentError for one that cannot be started.
void run_program(harness::Context& context);

}  // namespace gpucheck::site
