#include "reports.hpp"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "harness/exit_codes.hpp"
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

/// A journal that nobody named, beside the JSON report.
bool has_default_journal(const ReportOptions& options) {
  const bool decided = !options.journal_path.empty() || options.no_journal;
  return !decided && !options.json_path.empty() && options.json_path != "-" && is_file(options.json_path);
}

std::string default_journal(const ReportOptions& options) { return options.json_path + ".journal"; }

/// Lets it harm no other. @param advice what to do about a failure, for the message.
std::unique_ptr<report::IsolatedSink> isolated(std::unique_ptr<harness::EventSink> sink, std::string advice) {
  const auto complain = [advice = std::move(advice)](const std::string& what) { note(what + advice); };
  return std::make_unique<report::IsolatedSink>(std::move(sink), complain);
}

template <typename Event>
void tell(std::span<report::IsolatedSink* const> sinks, const Event& event) {
  for (report::IsolatedSink* sink : sinks) {
    if (sink != nullptr) sink->on(event);
  }
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

std::string advice(const ReportOptions& options, std::string_view option, const std::string& path) {
  const std::string journal = journal_path(options);
  if (!journal.empty() && journal != "-") {
    return fmt::format("; the journal has the results: gpucheck report {} {} {}", journal, option, path);
  }
  return "; the other reports have the results, and --journal FILE keeps them for a report to be written later";
}

}  // namespace

std::string journal_path(const ReportOptions& options) {
  if (!has_default_journal(options)) return options.journal_path;
  const bool is_name = fs::path(default_journal(options)).filename().string().size() <= NAME_MAX;
  return is_name ? default_journal(options) : "";
}

std::vector<NamedFile> report_files(const ReportOptions& options) {
  return {{"--json", options.json_path}, {"--junit", options.junit_path}, {"--journal", journal_path(options)}};
}

std::FILE* console_stream(const ReportOptions& options) {
  const bool stdout_taken = options.json_path == "-" || options.junit_path == "-" || options.journal_path == "-";
  return stdout_taken ? stderr : stdout;
}

std::unique_ptr<harness::EventSink> make_console(const ReportOptions& options) {
  return report::make_console(console_options(options));
}

Reports::Reports(const ReportOptions& options) {
  if (const std::string path = journal_path(options); !path.empty()) {
    journal_ = isolated(report::make_journal(path, note), "; results are missing in it");
  } else if (has_default_journal(options)) {
    note(fmt::format("there is no journal: {} is too long for a name; --journal FILE gives it another",
                     default_journal(options)));
  }
  console_ = isolated(make_console(options), "");
  if (!options.json_path.empty()) {
    json_ = isolated(report::make_json(options.json_path), advice(options, "--json", options.json_path));
  }
  if (!options.junit_path.empty()) {
    junit_ = isolated(report::make_junit(options.junit_path), advice(options, "--junit", options.junit_path));
  }
}

std::array<report::IsolatedSink*, 4> Reports::sinks() const noexcept {
  return {journal_.get(), console_.get(), json_.get(), junit_.get()};
}

void Reports::on(const harness::RunStarted& event) { tell(sinks(), event); }
void Reports::on(const harness::CaseStarted& event) { tell(sinks(), event); }
void Reports::on(const harness::CaseFinished& event) { tell(sinks(), event); }

void Reports::on(const harness::RunFinished& event) {
  is_good_ = event.interrupted_by_signal == 0 && (event.exit_code == 0 || harness::is_only_skips(event.counts));
  harness::RunFinished end = event;
  for (report::IsolatedSink* sink : {console_.get(), junit_.get(), journal_.get(), json_.get()}) {
    end.exit_code = exit_code(event.exit_code);
    if (sink != nullptr) sink->on(end);
    if (sink == console_.get()) flush_console();
  }
}

void Reports::on_heartbeat() {
  for (report::IsolatedSink* sink : sinks()) {
    if (sink != nullptr) sink->on_heartbeat();
  }
}

void Reports::flush_console() {
  try {
    flush_output();
  } catch (const EnvironmentError& problem) {
    note(problem.what());
    console_failed_ = true;
  }
}

int Reports::exit_code(int verdict) const noexcept {
  const bool failed = console_failed_ ||
                      std::ranges::any_of(sinks(), [](const auto* sink) { return sink != nullptr && sink->failed(); });
  return failed && is_good_ ? static_cast<int>(harness::ExitCode::not_judged) : verdict;
}

std::chrono::milliseconds heartbeat(const ReportOptions& options) {
  using std::chrono::seconds;
  return console_options(options).live_progress ? seconds(1) : seconds(30);
}

namespace {

/// Those that cannot be removed could not be written either: the error on its way says so.
void remove_old_reports(const ReportOptions& options) {
  for (const std::string& path : {options.json_path, options.junit_path}) {
    try {
      if (!path.empty() && is_file(path)) OutputFile(path, "report").discard_old();
    } catch (const EnvironmentError&) {
    }
  }
  try {
    if (const std::string path = journal_path(options); !path.empty() && is_file(path)) {
      report::JournalFile(path).restart();
    }
  } catch (const EnvironmentError&) {
  }
}

}  // namespace

int without_old_reports(const ReportOptions& options, const std::function<int()>& work) {
  try {
    return work();
  } catch (const UsageError&) {
    throw;
  } catch (...) {
    remove_old_reports(options);
    throw;
  }
}

}  // namespace gpucheck::application
