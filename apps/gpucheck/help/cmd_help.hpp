#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "input/cli_options.hpp"
#include "input/environment.hpp"

namespace gpucheck::application {

/// Below --help: the topics of the manual, and what each is about.
std::string topics_text();

/// The command that shows a topic, writes manual pages and completes command lines. `application` and `environment`
/// outlive the action.
void add_help(CLI::App& application, const Environment& environment, Action& action);

/// "help COMMAND …" as "COMMAND … --help", "help" alone as "--help". Other words stay as they are.
std::vector<std::string> with_help_spelled_out(const CLI::App& application, std::vector<std::string> command_line);

}  // namespace gpucheck::application
