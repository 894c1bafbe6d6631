#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "output/distinct_files.hpp"
#include "output/report_options.hpp"
#include "report/isolated_sink.hpp"

/// The console and the files that report on a run, none of which can harm another.
namespace gpucheck::application {

/// What `run` writes while it runs. The end of the run goes to the reports in the order of `report::formats()`, so that
/// the one that holds the process's exit code comes when it is known what could not be written.
class Reports final : public harness::EventSink {
 public:
  /// Opens all of them. @throws EnvironmentError for one that cannot be written.
  explicit Reports(const ReportOptions& options);

  void on(const harness::RunStarted& event) override;
  void on(const harness::CaseStarted& event) override;
  void on(const harness::CaseFinished& event) override;
  void on(const harness::RunFinished& event) override;
  void on_heartbeat() override;

  /// A trace that was asked for could not be written: as with a report, the run is not good.
  void lost_trace(const std::string& why);

  /// The verdict on the run that ended, or that there is none when it was good but could
  /// not be reported where it was asked for, or that a signal ended it while nobody read a report.
  [[nodiscard]] int exit_code(int verdict) const noexcept;

 private:
  using Sink = std::unique_ptr<report::IsolatedSink>;

  struct File {
    Output output;
    Sink sink;
  };
  /// A report that could not be written.
  struct Lost {
    std::string what;  ///< the system's reason
    Output output;
  };

  void open(File& file);
  template <typename Event>
  void tell(const Event& event);
  void flush_console();
  [[nodiscard]] int interrupted_by() const noexcept;

  Sink console_;
  std::vector<File> files_;  ///< in the order in which they learn of the run's end
  std::vector<Lost> lost_;
  bool console_failed_ = false;
  bool lacks_a_trace_ = false;
  bool is_good_ = false;  ///< the run that ended: neither a failure nor an interruption
};

/// How often a run informs its reports that time passes: as often as a live line wants it,
/// or a log.
std::chrono::milliseconds heartbeat(const ReportOptions& options);

/// Does the work that writes these reports. When it fails before they are written, no old
/// ones stay that could be taken for them. (A mistake on the command line begins nothing.)
int without_old_reports(const ReportOptions& options, const std::function<int()>& work);

/// The files that `options` ask for, by the option that names each; the journal beside the JSON report, too.
std::vector<NamedFile> report_files(const ReportOptions& options);

/// The file of the journal that `options` ask for, also of the one beside the JSON report; empty for none.
std::string journal_path(const ReportOptions& options);

/// stderr when a report takes stdout.
std::FILE* console_stream(const ReportOptions& options);

std::unique_ptr<harness::EventSink> make_console(const ReportOptions& options);

}  // namespace gpucheck::application
