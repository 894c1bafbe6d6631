#include "output/reports.hpp"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/in_use_error.hpp"
#include "base/text/shell_text.hpp"
#include "harness/run/exit_codes.hpp"
#include "report/journal/journal_file.hpp"
#include "report/sinks.hpp"

namespace gpucheck::application {

namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  return !fs::exists(status) || fs::is_regular_file(status);
}

/// The journal that nobody named, beside the JSON report; empty for none.
std::string journal_beside(const ReportOptions& options) {
  return options.no_journal || has_journal(options.outputs) ? "" : default_journal(options.outputs);
}

bool fits_a_name(const std::string& path) { return fs::path(path).filename().string().size() <= NAME_MAX; }

bool is_journal(const Output& output) { return output.format->write == nullptr; }

/// All that is written, in the order in which it learns of the run's end.
std::vector<Output> all_outputs(const ReportOptions& options) {
  std::vector<Output> outputs = options.outputs;
  const std::string journal = journal_beside(options);
  if (!journal.empty() && fits_a_name(journal)) {
    outputs.push_back({.format = report::find_format("journal"), .path = journal});
  }
  std::ranges::stable_sort(outputs, {}, &Output::format);
  return outputs;
}

/// Lets it harm no other.
std::unique_ptr<report::IsolatedSink> isolated(std::unique_ptr<harness::EventSink> sink,
                                               std::function<void(const std::string&)> complain) {
  return std::make_unique<report::IsolatedSink>(std::move(sink), std::move(complain));
}

report::ConsoleOptions console_options(const ReportOptions& options) {
  report::ConsoleOptions console;
  console.stream = console_stream(options);
  console.colour = use_colour(options.colour, console.stream);
  console.live_progress = !options.quiet && can_redraw(console.stream);
  console.quiet = options.quiet;
  console.verbose = options.verbose;
  return console;
}

/// What to do about a report that could not be written.
std::string advice(const std::vector<Output>& outputs, const Output& lost, bool journal_failed) {
  const auto journal = std::ranges::find_if(outputs, is_journal);
  if (journal_failed) return "; the journal could not be written either: make room for them, and run again";
  if (journal != outputs.end() && journal->path != "-") {
    return fmt::format("; the journal has the results: gpucheck report {} {}", shell_quoted(journal->path),
                       lost.words());
  }
  return "; the other reports have the results, and --journal FILE keeps them for a report to be written later";
}

}  // namespace

std::vector<NamedFile> report_files(const ReportOptions& options) {
  std::vector<NamedFile> files;
  for (const Output& output : all_outputs(options)) files.push_back({output.option(), output.path});
  return files;
}

std::string journal_path(const ReportOptions& options) {
  const std::vector<Output> outputs = all_outputs(options);
  const auto journal = std::ranges::find_if(outputs, is_journal);
  return journal == outputs.end() ? "" : journal->path;
}

std::FILE* console_stream(const ReportOptions& options) {
  const bool stdout_taken = std::ranges::find(options.outputs, "-", &Output::path) != options.outputs.end();
  return stdout_taken ? stderr : stdout;
}

std::unique_ptr<harness::EventSink> make_console(const ReportOptions& options) {
  return report::make_console(console_options(options));
}

Reports::Reports(const ReportOptions& options) {
  console_ = isolated(make_console(options), note);
  for (Output& output : all_outputs(options)) files_.push_back({.output = std::move(output), .sink = nullptr});
  // After the documents: what nobody asked for by its name, the journal beside a report, is not to be complained of
  // first.
  for (const bool journals : {false, true}) {
    for (File& file : files_) {
      if (is_journal(file.output) == journals) open(file);
    }
  }
  if (const std::string path = journal_beside(options); !fits_a_name(path)) {
    note(fmt::format("there is no journal: {} is too long for a name; --journal FILE gives it another", path));
  }
}

void Reports::open(File& file) {
  const Output& output = file.output;
  const auto complain = [this, &output](const std::string& what) {
    if (is_journal(output)) return note(what + "; results are missing in it");
    lost_.push_back({what, output});
  };
  file.sink = isolated(report::open_report(*output.format, output.path, note), complain);
}

template <typename Event>
void Reports::tell(const Event& event) {
  for (const File& file : files_) {
    if (is_journal(file.output)) file.sink->on(event);  // what any other shows is then on disk
  }
  console_->on(event);
  for (const File& file : files_) {
    if (!is_journal(file.output)) file.sink->on(event);
  }
}

void Reports::on(const harness::RunStarted& event) { tell(event); }
void Reports::on(const harness::CaseStarted& event) { tell(event); }
void Reports::on(const harness::CaseFinished& event) { tell(event); }

void Reports::on(const harness::RunFinished& event) {
  is_good_ = event.interrupted_by_signal == 0 && (event.exit_code == 0 || harness::is_only_skips(event.counts));
  harness::RunFinished end = event;
  const auto finish = [&](report::IsolatedSink& sink) {
    end.exit_code = exit_code(event.exit_code);
    if (end.interrupted_by_signal == 0) end.interrupted_by_signal = interrupted_by();
    sink.on(end);
  };
  finish(*console_);
  flush_console();
  for (const File& file : files_) finish(*file.sink);
  // Said last: only now it is known whether the journal has what a report lacks.
  std::vector<Output> outputs;
  for (const File& file : files_) outputs.push_back(file.output);
  const bool journal_failed =
      std::ranges::any_of(files_, [](const File& file) { return is_journal(file.output) && file.sink->failed(); });
  for (const auto& [what, output] : lost_) note(what + advice(outputs, output, journal_failed));
  lost_.clear();
}

void Reports::on_heartbeat() {
  console_->on_heartbeat();
  for (const File& file : files_) file.sink->on_heartbeat();
}

void Reports::flush_console() {
  try {
    flush_output();
  } catch (const Error& problem) {
    note(problem.what());
    console_failed_ = true;
  }
}

void Reports::lost_trace(const std::string& why) {
  note(why);
  lacks_a_trace_ = true;
}

/// A run that was asked to end while it waited for the reader of a report did not end by itself.
int Reports::interrupted_by() const noexcept {
  if (console_->interrupted_by() != 0) return console_->interrupted_by();
  for (const File& file : files_) {
    if (file.sink->interrupted_by() != 0) return file.sink->interrupted_by();
  }
  return 0;
}

int Reports::exit_code(int verdict) const noexcept {
  if (const int signal = interrupted_by(); signal != 0) {
    return static_cast<int>(harness::interrupted_exit_code(signal));
  }
  const bool failed = console_failed_ || lacks_a_trace_ || console_->failed() ||
                      std::ranges::any_of(files_, [](const File& file) { return file.sink->failed(); });
  return failed && is_good_ ? static_cast<int>(harness::ExitCode::not_judged) : verdict;
}

std::chrono::milliseconds heartbeat(const ReportOptions& options) {
  using std::chrono::seconds;
  return console_options(options).live_progress ? seconds(1) : seconds(30);
}

namespace {

/// Those that cannot be removed could not be written either: the error on its way says so.
void remove_old_reports(const ReportOptions& options) {
  for (const Output& output : all_outputs(options)) {
    try {
      if (!is_file(output.path)) continue;
      if (is_journal(output)) {
        report::JournalFile(output.path).restart();
      } else {
        OutputFile(output.path, "report", Writers::one).discard_old();
      }
    } catch (const EnvironmentError&) {
    }
  }
}

}  // namespace

int without_old_reports(const ReportOptions& options, const std::function<int()>& work) {
  try {
    return work();
  } catch (const UsageError&) {
    throw;
  } catch (const InUseError&) {  // what is there is the other run's, or will be
    throw;
  } catch (...) {
    remove_old_reports(options);
    throw;
  }
}

}  // namespace gpucheck::application
