#pragma once

#include "input/cli_options.hpp"
#include "input/environment.hpp"

namespace gpucheck::application {

/// One subcommand for each group, with one for each of its cases, with an option for
/// each of its parameters. @throws Error for a group that is called like a command, which
/// would hide it: a mistake in the binary.
void add_groups(CLI::App& application, const Environment& environment, Action& action);

}  // namespace gpucheck::application
