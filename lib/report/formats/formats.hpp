#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/run/events.hpp"

/// The kinds of reports there are, as rows of a table. A new one is its row and its writer, in the file of its name:
/// options, help texts and all checks of output files follow from the row.
namespace gpucheck::report {

struct RunSet;

struct Format {
  std::string_view name;     ///< of --output NAME=FILE
  std::string_view summary;  ///< for help texts
  bool has_short_form;       ///< --NAME FILE says the same
  /// The whole document, written when the run has ended. Null for the journal, which is written while the run goes on,
  /// and from which `gpucheck report` makes the others.
  std::string (*write)(RunSet);
};

/// In the order in which they learn of the end of a run. The last one says the exit code of the process: by then it is
/// known what could not be written.
std::span<const Format> formats();

/// Null where there is none.
const Format* find_format(std::string_view name);

/// What writes a run to a file, as its format says. Opens the file, or a temporary one beside it, at once, so that a
/// path that cannot be written is known before the first case. What had that name is removed: it would be taken for
/// this run's. "-" is stdout.
/// @param complain of a journal: called once, when it cannot be written; it goes on trying.
/// @throws EnvironmentError, InUseError where another process writes to the file.
std::unique_ptr<harness::EventSink> open_report(const Format& format, const std::string& path,
                                                std::function<void(const std::string&)> complain);

}  // namespace gpucheck::report
