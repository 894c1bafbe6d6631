#include "commands/acceptance/acceptance_options.hpp"

namespace gpucheck::application {

void add_evidence(CLI::App& command, EvidenceOptions& options) {
  command
      .add_option("runs", options.runs, "Journals of runs, and folders: of those, every file named *.journal in them")
      ->type_name("JOURNAL|FOLDER");
  command
      .add_option("--expect-nodes", options.expected_nodes,
                  "Which nodes have to report: how many, a list such as n1,gpu[01-16], @FILE with such lists, or any")
      ->type_name("N|LIST|@FILE|any")
      ->capture_default_str();
  command
      .add_option("--again", options.again,
                  "Likewise, of a second measurement of what is suspected: it confirms that or does not")
      ->type_name("JOURNAL|FOLDER")
      ->allow_extra_args(false);
  add_golden_files(command, options.golden_directory, options.limits_path);
}

}  // namespace gpucheck::application
