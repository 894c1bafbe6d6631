#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "commands.hpp"
#include "distinct_files.hpp"
#include "report/isolated_sink.hpp"

/// The console and the files that tell of a run, none of which can harm another.
namespace gpucheck::application {

/// What `run` writes while it runs. The end of the run is told to the JSON report last,
/// as it is the one that holds the process's exit code: by then it is known what could
/// not be written.
class Reports final : public harness::EventSink {
 public:
  /// Opens all of them. @throws EnvironmentError for one that cannot be written.
  explicit Reports(const ReportOptions& options);

  void on(const harness::RunStarted& event) override;
  void on(const harness::CaseStarted& event) override;
  void on(const harness::CaseFinished& event) override;
  void on(const harness::RunFinished& event) override;
  void on_heartbeat() override;

  /// The verdict on the run that ended, or that there is none when it was good but could
  /// not be told where it was asked for.
  [[nodiscard]] int exit_code(int verdict) const noexcept;

 private:
  using Sink = std::unique_ptr<report::IsolatedSink>;

  [[nodiscard]] std::array<report::IsolatedSink*, 4> sinks() const noexcept;
  void flush_console();

  // The journal comes first: what any other sink shows is then on disk.
  Sink journal_;  ///< null, as the next two, when not asked for
  Sink console_;
  Sink json_;
  Sink junit_;
  bool console_failed_ = false;
  bool is_good_ = false;  ///< the run that ended: neither a failure nor an interruption
};

/// How often a run tells its reports that time passes: as often as a live line wants it,
/// or a log.
std::chrono::milliseconds heartbeat(const ReportOptions& options);

/// Does the work that writes these reports. When it fails before they are written, no old
/// ones stay that could be taken for them. (A mistake on the command line begins nothing.)
int without_old_reports(const ReportOptions& options, const std::function<int()>& work);

/// The files that `options` ask for, by the option that names each.
std::vector<NamedFile> report_files(const ReportOptions& options);

/// The journal's path: as asked for, or beside the JSON report; empty for none.
std::string journal_path(const ReportOptions& options);

/// stderr when a report takes stdout.
std::FILE* console_stream(const ReportOptions& options);

std::unique_ptr<harness::EventSink> make_console(const ReportOptions& options);

}  // namespace gpucheck::application
