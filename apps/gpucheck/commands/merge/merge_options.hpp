#pragma once

#include "commands/commands.hpp"
#include "input/cli_options.hpp"

namespace gpucheck::application {

void add_merge_options(CLI::App& command, MergeOptions& options);

}  // namespace gpucheck::application
