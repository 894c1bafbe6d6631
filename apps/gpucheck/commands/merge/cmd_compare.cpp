#include <csignal>
#include <cstdio>
#include <memory>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "commands/commands.hpp"
#include "commands/merge/verdict_exit_code.hpp"
#include "fleet/changes/changes.hpp"
#include "output/distinct_files.hpp"
#include "output/error_report.hpp"
#include "output/terminal.hpp"
#include "report/journal/merge_journals.hpp"
#include "report/merged/changes_report.hpp"

namespace gpucheck::application {
namespace {

using harness::ExitCode;

fleet::Fleet fleet_in(const std::string& path) {
  return report::merge_journals({path}, {}, {.expected = fleet::parse_expected_nodes("any")});
}

}  // namespace

int compare(const Environment& /*environment*/, const CompareOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the console may leave: the file is written all the same
  const std::vector<NamedFile> inputs{{"the earlier run", options.before}, {"the later run", options.after}};
  std::unique_ptr<OutputFile> file;
  if (!options.json_path.empty()) {
    check_distinct(std::vector<NamedFile>{{"--json", options.json_path}}, inputs);
    file = std::make_unique<OutputFile>(options.json_path, "report", Writers::one);
    file->discard_old();
  }
  const fleet::Fleet before = fleet_in(options.before);
  const fleet::Fleet after = fleet_in(options.after);
  const fleet::Changes changes = fleet::find_changes(before, after);
  std::FILE* const console = options.json_path == "-" ? stderr : stdout;
  const report::Palette palette{.enabled = use_colour(options.colour, console)};
  const std::string text = report::changes_text(changes, before, after, palette);
  std::fwrite(text.data(), 1, text.size(), console);
  const ExitCode code = exit_code_of(changes.verdict);
  try {
    if (file) file->commit(report::changes_json(changes, before, after));
  } catch (const EnvironmentError& problem) {
    note(problem.what());
    return static_cast<int>(code == ExitCode::passed ? ExitCode::not_judged : code);
  }
  return static_cast<int>(code);
}

}  // namespace gpucheck::application
