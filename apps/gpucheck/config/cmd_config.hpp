#pragma once

#include <functional>

#include "config/config_file.hpp"
#include "input/cli_options.hpp"

/// `gpucheck config`: what a configuration file says, without a run.
namespace gpucheck::application {

/// Declares the options of `gpucheck run`, with the values that they fill.
using DeclareRun = std::function<void(CLI::App& command, RunOptions& options)>;

void add_config_commands(CLI::App& application, const DeclareRun& declare_run, Action& action);

}  // namespace gpucheck::application
