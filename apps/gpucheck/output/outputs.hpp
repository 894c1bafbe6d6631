#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/formats/formats.hpp"

/// The reports that a command line asks for. What there can be is a row of `report::formats()`; nothing here knows one
/// of them by its name but the JSON report, beside which a journal lies.
namespace gpucheck::application {

struct Output {
  const report::Format* format = nullptr;
  std::string path;  ///< "-" is stdout

  /// The option that asks for it: "--json", "--output markdown".
  [[nodiscard]] std::string option() const;
  /// The words that ask for it, for a shell: "--json out.json", "--output markdown=summary.md".
  [[nodiscard]] std::string words() const;
};

/// "markdown=summary.md". @throws UsageError for a text of another form, or one that names a format that there is not
/// or that the command does not write.
Output parse_output(std::string_view text, bool with_journal);

/// "json, junit and markdown": those that a command writes.
std::string format_names(bool with_journal);

/// For help texts: each format with its summary.
std::string formats_text(bool with_journal);

/// The journal that lies beside the first JSON report that is a file; empty where there is none.
std::string default_journal(const std::vector<Output>& outputs);

bool has_journal(const std::vector<Output>& outputs);

}  // namespace gpucheck::application
