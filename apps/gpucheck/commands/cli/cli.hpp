#pragma once

#include "input/environment.hpp"

namespace gpucheck::application {

/// Reads the command line, carries it out, and returns the exit code. --help and
/// --version are answered on stdout.
/// @throws UsageError for anything the command line cannot mean, and whatever the
/// command throws.
int run_command_line(const Environment& environment);

/// Reads the command line alike, and carries nothing out: for tests of what the manual shows. @throws UsageError.
void check_command_line(const Environment& environment);

}  // namespace gpucheck::application
