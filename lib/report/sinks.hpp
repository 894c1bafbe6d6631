#pragma once

#include <cstdio>
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
};

std::unique_ptr<harness::EventSink> make_console(const ConsoleOptions& options);

/// JSON document, schema "gpucheck.result/1". Opens the temporary file beside `path`
/// at once, so that a path that cannot be written is known before the first case.
/// "-" is stdout. @throws EnvironmentError.
std::unique_ptr<harness::EventSink> make_json(const std::string& path);

/// JUnit XML that passes jenkinsci/xunit-plugin's junit-10.xsd. Path as for JSON.
std::unique_ptr<harness::EventSink> make_junit(const std::string& path);

}  // namespace gpucheck::report
