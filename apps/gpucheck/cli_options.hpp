#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "commands.hpp"

/// Declarations of the options that several commands share. This header brings in all
/// of CLI11 (seconds to compile): only the files that declare options include it.
namespace gpucheck::application {

void add_globs(CLI::App& command, Selection& selection);
void add_exclusions(CLI::App& command, Selection& selection);
void add_execution(CLI::App& command, ExecutionOptions& options);
void add_golden_directory(CLI::App& command, std::string& directory);
/// Everything of `run` but which cases, their parameters, and in what order.
void add_run_control(CLI::App& command, RunOptions& options);
/// The console and the reports that are written from a run or its journal.
void add_report_files(CLI::App& command, ReportOptions& options);
void add_order(CLI::App& command, RunOptions& options);
void add_parameters(CLI::App& command, ExecutionOptions& options);
void add_replay_options(CLI::App& command, ReplayOptions& options);
void add_inspect_options(CLI::App& command, InspectOptions& options);

/// What a command line means; carried out once all of it has been read.
using Action = std::function<int()>;

/// One subcommand for each group, with one for each of its cases, with an option for
/// each of its parameters. @throws Error for a group that is called like a command, which
/// would hide it: a mistake in the binary.
void add_groups(CLI::App& application, const Environment& environment, Action& action);

}  // namespace gpucheck::application
