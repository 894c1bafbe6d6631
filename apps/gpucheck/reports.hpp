#pragma once

#include <memory>
#include <vector>

#include "commands.hpp"
#include "distinct_files.hpp"
#include "report/isolated_sink.hpp"

/// The console and the files that tell of a run, none of which can harm another.
namespace gpucheck::application {

/// What `run` writes while it runs.
class Reports {
 public:
  /// Opens all of them. @throws EnvironmentError for one that cannot be written.
  explicit Reports(const ReportOptions& options);

  [[nodiscard]] const std::vector<harness::EventSink*>& sinks() const noexcept { return listeners_; }

  /// The verdict, or that there is none when it would be a pass but a report that was
  /// asked for could not be written.
  [[nodiscard]] harness::ExitCode exit_code(harness::ExitCode verdict) const noexcept;

 private:
  /// @param advice what to do about a failure, for the message.
  void add(std::unique_ptr<harness::EventSink> sink, std::string advice);

  std::vector<std::unique_ptr<report::IsolatedSink>> sinks_;
  std::vector<harness::EventSink*> listeners_;
};

/// The files that `options` ask for, by the option that names each.
std::vector<NamedFile> report_files(const ReportOptions& options);

/// The journal's path: as asked for, or beside the JSON report; empty for none.
std::string journal_path(const ReportOptions& options);

/// stderr when a report takes stdout.
std::FILE* console_stream(const ReportOptions& options);

std::unique_ptr<harness::EventSink> make_console(const ReportOptions& options);

}  // namespace gpucheck::application
