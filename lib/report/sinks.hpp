#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "harness/events.hpp"

/// Consumers of run events. None knows the runner. Each writes what it has as it
/// comes or, for files, the whole document at the end (temporary name, then rename).
namespace gpucheck::report {

struct ConsoleOptions {
  std::FILE* stream = stdout;
  bool colour = false;
  bool live_progress = false;  ///< redraw a progress line; terminals only
  bool quiet = false;          ///< failures and the last line only
  bool verbose = false;        ///< observations too
  /// What durations are measured with.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

std::unique_ptr<harness::EventSink> make_console(const ConsoleOptions& options);

/// JSON document, schema "gpucheck.result/1". Opens the temporary file beside `path`
/// at once, so that a path that cannot be written is known before the first case.
/// An old document of that name is removed: it would be taken for this run's.
/// "-" is stdout. @throws EnvironmentError.
std::unique_ptr<harness::EventSink> make_json(const std::string& path);

/// JUnit XML that passes jenkinsci/xunit-plugin's junit-10.xsd. Path as for JSON.
std::unique_ptr<harness::EventSink> make_junit(const std::string& path);

/// Journal, schema "gpucheck.journal/1": each event is a line of the file when `on`
/// returns; a finished case survives the death of this process, and a power cut. "-" is
/// stdout. Another run's journal in the file is emptied at once.
/// @param complain is told, once, when the journal cannot be written; it goes on trying.
/// The last event throws when it still cannot. @throws EnvironmentError as `make_json`
/// does, and when another process writes to the file.
std::unique_ptr<harness::EventSink> make_journal(const std::string& path,
                                                 std::function<void(const std::string&)> complain);

}  // namespace gpucheck::report
