#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/case/case.hpp"
#include "input/arguments.hpp"
#include "input/run_options.hpp"

/// Declarations of the options that several commands share. This header brings in all
/// of CLI11 (seconds to compile): only the files that declare options include it.
namespace gpucheck::application {

void add_globs(CLI::App& command, Selection& selection);
void add_exclusions(CLI::App& command, Selection& selection);
void add_execution(CLI::App& command, runner::Options& options);
/// --cases, for the folders of the site's own cases.
void add_case_folders(CLI::App& command, std::vector<std::string>& folders);
void add_golden_files(CLI::App& command, std::string& directory, std::string& limits_path);
/// Everything of `run` but which cases, their parameters, and in what order.
/// @param start of the process: from then on a deadline counts
void add_run_control(CLI::App& command, RunOptions& options, std::chrono::steady_clock::time_point start);
/// The console and the reports that are written from a run or its journal.
/// @param with_journal the journal is one of them
void add_report_files(CLI::App& command, ReportOptions& options, bool with_journal);
void add_colour(CLI::App& command, const std::string& name, ColourChoice& colour);
void add_order(CLI::App& command, RunOptions& options);
void add_parameters(CLI::App& command, runner::Options& options);

/// An option with a whole number from `minimum` to `maximum`, in decimal digits: CLI11's own
/// reading takes 010 for 8.
template <typename Target>
CLI::Option* add_whole_number(CLI::App& command, const std::string& name, Target& target, int minimum, int maximum,
                              const std::string& text) {
  const auto check = [minimum, maximum](const std::string& given) -> std::string {
    const std::optional<int> number = parse_whole_number(given);
    if (number && *number >= minimum && *number <= maximum) return {};
    return "\"" + given + "\" is not a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum);
  };
  return command
      .add_option_function<std::string>(
          name, [&target](const std::string& given) { target = *parse_whole_number(given); }, text)
      ->type_name("N")
      ->check(CLI::Validator([check](std::string& given) { return check(given); }, ""));
}

/// What a command line means; carried out once all of it has been read.
using Action = std::function<int()>;

/// The names that help texts group these under.
inline constexpr const char* case_groups = "Groups of cases";
inline constexpr const char* case_parameters = "Parameters";

/// The option of a case's command for its parameter: "--live-bytes" for "live_bytes".
std::string option_name(const harness::Parameter& parameter);

}  // namespace gpucheck::application
