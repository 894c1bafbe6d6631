#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "harness/run/events.hpp"

/// Consumers of run events that write what they have as it comes. None knows the runner. Documents, which are written
/// whole at the end of a run, are in formats/.
namespace gpucheck::report {

struct ConsoleOptions {
  std::FILE* stream = stdout;
  bool colour = false;
  bool live_progress = false;  ///< redraw a progress line; terminals only
  bool quiet = false;          ///< failures, warnings in one line, and the last line only
  bool verbose = false;        ///< observations too
  /// What durations are measured with.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

std::unique_ptr<harness::EventSink> make_console(const ConsoleOptions& options);

/// Journal, schema "gpucheck.journal/1": each event is a line of the file when `on`
/// returns; a finished case survives the death of this process, and a power cut. "-" is
/// stdout. Another run's journal in the file is emptied at once.
/// @param complain hears, once, when the journal cannot be written; it goes on trying.
/// The last event throws when it still cannot. @throws EnvironmentError for a path that cannot be written, and when
/// another process writes to the file.
std::unique_ptr<harness::EventSink> make_journal(const std::string& path,
                                                 std::function<void(const std::string&)> complain);

}  // namespace gpucheck::report
