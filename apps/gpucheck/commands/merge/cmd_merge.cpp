#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "commands/commands.hpp"
#include "commands/merge/history_folder.hpp"
#include "commands/merge/verdict_exit_code.hpp"
#include "input/site_environment.hpp"
#include "output/distinct_files.hpp"
#include "output/error_report.hpp"
#include "output/terminal.hpp"
#include "report/journal/merge_journals.hpp"

namespace gpucheck::application {
namespace {

using harness::ExitCode;

std::vector<NamedFile> reports_of(const MergeOptions& options) {
  std::vector<NamedFile> files;
  for (const MergedOutput& output : options.outputs) {
    files.push_back({fmt::format("--output {}", output.format->name), output.path});
  }
  return files;
}

std::vector<NamedFile> files_read(const MergeOptions& options) {
  std::vector<NamedFile> files{{"the waivers", options.waivers_path}};
  for (const std::vector<std::string>* paths : {&options.paths, &options.again}) {
    for (const std::string& path : *paths) files.push_back({"a file that it is made from", path});
  }
  return files;
}

fleet::Waivers waivers_of(const Environment& environment, const MergeOptions& options) {
  if (options.waivers_path.empty()) return {};
  const SiteEnvironment site(environment, options.case_folders);
  std::vector<std::string> names;
  for (const harness::Case& known : site.get().registry.cases()) names.push_back(known.name);
  return fleet::read_waivers(options.waivers_path, names);
}

fleet::FleetRules rules_of(const Environment& environment, const MergeOptions& options) {
  fleet::FleetRules rules{.expected = fleet::parse_expected_nodes(options.expected_nodes),
                          .waivers = waivers_of(environment, options),
                          .racks = options.racks.empty() ? fleet::Racks() : fleet::Racks(options.racks)};
  if (options.history.empty()) return rules;
  HistoryFolder history = read_history(options.history);
  rules.history = std::move(history.records);
  rules.problems = std::move(history.problems);
  return rules;
}

/// False where it could not be written, which is said.
bool keep_history(const MergeOptions& options, const fleet::Fleet& fleet) {
  if (options.history.empty()) return true;
  try {
    write_history(options.history, fleet);
  } catch (const EnvironmentError& problem) {
    note(problem.what());
    return false;
  }
  return true;
}

void print_fleet(const MergeOptions& options, const fleet::Fleet& fleet) {
  const auto takes_stdout = [](const MergedOutput& output) { return output.path == "-"; };
  std::FILE* const console = std::ranges::any_of(options.outputs, takes_stdout) ? stderr : stdout;
  const report::Palette palette{.enabled = use_colour(options.colour, console)};
  const std::string text = report::merged_text(fleet, options.verbose, palette);
  std::fwrite(text.data(), 1, text.size(), console);
}

}  // namespace

int merge(const Environment& environment, const MergeOptions& options) {
  // Whoever reads the console may leave (`| head`): the files are written all the same.
  std::signal(SIGPIPE, SIG_IGN);
  check_distinct(reports_of(options), files_read(options));
  const fleet::FleetRules rules = rules_of(environment, options);
  std::vector<std::unique_ptr<OutputFile>> files;
  for (const MergedOutput& output : options.outputs) {
    files.push_back(std::make_unique<OutputFile>(output.path, "report", Writers::one));
    files.back()->discard_old();
  }
  const fleet::Fleet fleet = report::merge_journals(options.paths, options.again, rules);
  print_fleet(options, fleet);
  bool written = keep_history(options, fleet);
  for (std::size_t i = 0; i < files.size(); ++i) {
    try {
      files[i]->commit(options.outputs[i].format->write(fleet));
    } catch (const EnvironmentError& problem) {
      note(problem.what());
      written = false;
    }
  }
  const ExitCode code = exit_code_of(fleet.verdict);
  return static_cast<int>(!written && code == ExitCode::passed ? ExitCode::not_judged : code);
}

}  // namespace gpucheck::application
