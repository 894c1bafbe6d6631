#pragma once

#include <string_view>

#include "input/cli_options.hpp"
#include "input/environment.hpp"

namespace gpucheck::application {

/// Whether `add_commands` has a command of this name.
bool is_command(std::string_view name);

/// The commands with their options, but for `help` and the groups of cases. Where the first word of the command line is
/// one of them, only that one and those declared with it: the others' options would cost time at every start.
void add_commands(CLI::App& application, const Environment& environment, Action& action);

}  // namespace gpucheck::application
