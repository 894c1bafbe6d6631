#include "commands/merge/merge_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace gpucheck::application {
namespace {

/// "junit (JUnit XML, …); json (…)".
std::string merged_formats_text() {
  std::vector<std::string> texts;
  for (const report::MergedFormat& format : report::merged_formats()) {
    texts.push_back(fmt::format("{} ({})", format.name, format.summary));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// "markdown=summary.md". @throws UsageError for a text of another form, or for a format that there is not.
MergedOutput parse_merged_output(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    throw UsageError(fmt::format("--output: \"{}\" is not FORMAT=FILE: write json=FILE, for example", text));
  }
  const std::string_view name = text.substr(0, equals);
  if (const report::MergedFormat* const format = report::find_merged_format(name)) {
    return {.format = format, .path = std::string(text.substr(equals + 1))};
  }
  throw UsageError(fmt::format("--output: \"{}\" is not a format of reports on a fleet; there are: {}", name,
                               merged_formats_text()));
}

}  // namespace

void add_merge_options(CLI::App& command, MergeOptions& options) {
  add_case_folders(command, options.case_folders);
  command
      .add_option("files", options.paths,
                  "Journals of runs, and folders: of those, every file named *.journal in them and below")
      ->required()
      ->type_name("JOURNAL|FOLDER");
  command
      .add_option("--expect-nodes", options.expected_nodes,
                  "Which nodes have to report: how many, a list such as n1,gpu[01-16], @FILE with such lists, one a "
                  "line, or any: then nobody notices a node that does not report")
      ->required()
      ->type_name("N|LIST|@FILE|any");
  command
      .add_option("--again", options.again,
                  "Likewise, of a second measurement of what is suspected: it confirms that or does not")
      ->type_name("JOURNAL|FOLDER")
      ->allow_extra_args(false);
  command
      .add_option(
          "--racks", options.racks,
          "Which rack a node is in, for what its nodes have in common: a regular expression whose group is the "
          "rack in a node's name, such as '(r[0-9]+)-.*', or @FILE with lines of a rack and a list of its nodes")
      ->type_name("REGEX|@FILE");
  command
      .add_option(
          "--history", options.history,
          "Judge each GPU against what it measured in earlier merges that had this folder, and leave there what "
          "it measured in this one")
      ->type_name("FOLDER");
  command
      .add_option_function<std::vector<std::string>>(
          "--output",
          [&outputs = options.outputs](const std::vector<std::string>& texts) {
            for (const std::string& one : texts) outputs.push_back(parse_merged_output(one));
          },
          fmt::format("Write a report; may be repeated; - is stdout, and the console report then goes to stderr. "
                      "Formats: {}",
                      merged_formats_text()))
      ->type_name("FORMAT=FILE")
      ->allow_extra_args(false);
  command
      .add_option("--waivers", options.waivers_path,
                  "Failures that are known, in place of those that the runs had: they stay visible, but do not fail "
                  "the fleet (gpucheck help waivers)")
      ->type_name("FILE");
  command.add_flag("-v,--verbose", options.verbose, "Also the nodes that passed");
  add_colour(command, "--color", options.colour);
}

}  // namespace gpucheck::application
