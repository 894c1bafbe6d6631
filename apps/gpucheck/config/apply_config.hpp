#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "config/config.hpp"
#include "input/run_options.hpp"

/// A configuration file beneath a command line. This header brings in all of CLI11.
namespace gpucheck::application {

/// --config, --profile and --no-config.
void add_config_options(CLI::App& command, ConfigChoice& choice);

/// Gives the options of `gpucheck run` that the command line left alone what the configuration says, and notes that in
/// `options`. The command line has been parsed. @throws UsageError naming the place in the file.
void apply_config(const Config& config, CLI::App& command, RunOptions& options);

}  // namespace gpucheck::application
