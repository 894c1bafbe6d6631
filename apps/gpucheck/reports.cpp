#include "reports.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "report/sinks.hpp"

namespace gpucheck::application {

namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  return !fs::exists(status) || fs::is_regular_file(status);
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
  if (!options.journal_path.empty() || options.no_journal) return options.journal_path;
  const bool beside_json = !options.json_path.empty() && options.json_path != "-" && is_file(options.json_path);
  return beside_json ? options.json_path + ".journal" : "";
}

std::vector<NamedFile> report_files(const ReportOptions& options) {
  return {{"--json", options.json_path}, {"--junit", options.junit_path}, {"--journal", journal_path(options)}};
}

std::FILE* console_stream(const ReportOptions& options) {
  const bool stdout_taken = options.json_path == "-" || options.junit_path == "-" || options.journal_path == "-";
  return stdout_taken ? stderr : stdout;
}

std::unique_ptr<harness::EventSink> make_console(const ReportOptions& options) {
  report::ConsoleOptions console;
  console.stream = console_stream(options);
  console.colour = use_colour(options.colour, console.stream);
  console.live_progress = !options.quiet && can_redraw(console.stream);
  console.quiet = options.quiet;
  console.verbose = options.verbose;
  return report::make_console(console);
}

Reports::Reports(const ReportOptions& options) {
  // The journal comes first: what any other sink shows is then on disk.
  if (const std::string path = journal_path(options); !path.empty()) {
    add(report::make_journal(path, note), "; results are missing in it");
  }
  add(make_console(options), "");
  if (!options.json_path.empty()) {
    add(report::make_json(options.json_path), advice(options, "--json", options.json_path));
  }
  if (!options.junit_path.empty()) {
    add(report::make_junit(options.junit_path), advice(options, "--junit", options.junit_path));
  }
}

void Reports::add(std::unique_ptr<harness::EventSink> sink, std::string advice) {
  const auto complain = [advice = std::move(advice)](const std::string& what) { note(what + advice); };
  sinks_.push_back(std::make_unique<report::IsolatedSink>(std::move(sink), complain));
  listeners_.push_back(sinks_.back().get());
}

harness::ExitCode Reports::exit_code(harness::ExitCode verdict) const noexcept {
  const bool failed = std::ranges::any_of(sinks_, [](const auto& sink) { return sink->failed(); });
  return failed && verdict == harness::ExitCode::passed ? harness::ExitCode::not_judged : verdict;
}

}  // namespace gpucheck::application
