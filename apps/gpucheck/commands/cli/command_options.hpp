#pragma once

#include "input/cli_options.hpp"
#include "input/environment.hpp"

namespace gpucheck::application {

/// The commands with their options, but for `help` and the groups of cases.
void add_commands(CLI::App& application, const Environment& environment, Action& action);

}  // namespace gpucheck::application
