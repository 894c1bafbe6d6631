#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text/sanitize.hpp"
#include "commands/commands.hpp"
#include "fleet/merge.hpp"
#include "output/distinct_files.hpp"
#include "output/reports.hpp"
#include "report/comparison_text.hpp"
#include "report/journal/journal.hpp"
#include "report/run_set.hpp"

namespace gpucheck::application {

namespace {

using harness::ExitCode;
using report::Journal;

/// A waiver may be for a case of this gpucheck, or of the one that ran.
fleet::Waivers apply_waivers(std::vector<Journal>& journals, const Environment& environment, const std::string& path) {
  if (path.empty()) return {};
  std::vector<std::string> names;
  for (const harness::Case& known : environment.registry.cases()) names.push_back(known.name);
  for (const Journal& journal : journals) {
    for (const harness::SelectedCase& selected : journal.start().selected) names.push_back(selected.name);
  }
  const fleet::Waivers waivers = fleet::read_waivers(path, names);
  for (Journal& journal : journals) report::apply_waivers(journal, waivers);
  return waivers;
}

std::vector<Journal> read_all(const std::vector<std::string>& paths) {
  std::vector<Journal> journals;
  for (const std::string& path : paths) {
    journals.push_back(report::read_journal(path));
    if (!journals.back().torn) continue;
    note(fmt::format("{}: its last line was cut off while it was written, and is left out", path));
  }
  return journals;
}

int report_on_one(const Journal& journal, const ReportOptions& options) {
  Reports reports(options);
  report::replay_events(journal, reports);
  return reports.exit_code(fleet::exit_code_of(journal.end()));
}

std::string_view word_for(ExitCode verdict) {
  return verdict == ExitCode::passed ? "passed" : verdict == ExitCode::failed ? "failed" : "not judged";
}

/// True when it is written; else the reason has been said.
bool write_file(const std::string& path, const std::function<std::string()>& document) {
  try {
    OutputFile file(path, "report", Writers::one);
    file.discard_old();
    file.commit(document());
    return true;
  } catch (const EnvironmentError& problem) {
    note(problem.what());
    return false;
  }
}

void say(std::FILE* console, std::string_view text) {
  const std::string clean = clean_text(text);
  std::fwrite(clean.data(), 1, clean.size(), console);
}

/// Each run as it was reported, then what GPUs of different runs differ in, then the verdicts.
void print_merged(const fleet::Merged& merged, const std::vector<Journal>& journals, const ReportOptions& options) {
  std::FILE* const console = console_stream(options);
  std::map<ExitCode, std::vector<std::string>> labels_with;
  for (std::size_t i = 0; i < journals.size(); ++i) {
    say(console, fmt::format("{}{} ({})\n", i == 0 ? "" : "\n", merged.labels[i], journals[i].path));
    report::replay_events(journals[i], *make_console(options));
    labels_with[merged.verdicts[i]].push_back(merged.labels[i]);
  }
  say(console, "\n");
  for (const harness::Comparison& one : merged.across.comparisons) {
    say(console, report::comparison_text(one, report::names_in(merged.across), {}));
  }
  for (const auto& [code, names] : labels_with) {
    say(console,
        fmt::format("{} of {} runs {}: {}\n", names.size(), journals.size(), word_for(code), fmt::join(names, ", ")));
  }
}

int report_on_several(const std::vector<Journal>& journals, const fleet::Waivers& waivers,
                      const ReportOptions& options) {
  std::vector<fleet::RunRecord> runs;
  for (const Journal& journal : journals) runs.push_back(journal.record());
  const fleet::Merged merged = fleet::merge(std::move(runs), waivers);
  print_merged(merged, journals, options);
  const report::RunSet all{.runs = merged.runs,
                           .labels = merged.labels,
                           .across = merged.across,
                           .exit_code = static_cast<int>(merged.verdict)};
  bool written = true;
  for (const Output& output : options.outputs) {
    written = write_file(output.path, [&] { return output.format->write(all); }) && written;
  }
  const bool only_the_reports_failed = !written && merged.verdict == ExitCode::passed;
  return static_cast<int>(only_the_reports_failed ? ExitCode::not_judged : merged.verdict);
}

std::vector<NamedFile> files_read(const JournalReportOptions& options) {
  std::vector<NamedFile> files{{"the waivers", options.reports.waivers_path}};
  for (const std::string& journal : options.journals) files.push_back({"the journal that it is made from", journal});
  return files;
}

}  // namespace

int report(const Environment& environment, const JournalReportOptions& options) {
  // Whoever reads the console may leave (`| head`): the files are written all the same.
  std::signal(SIGPIPE, SIG_IGN);
  ReportOptions reports = options.reports;
  reports.no_journal = true;
  check_distinct(report_files(reports), files_read(options));
  return without_old_reports(reports, [&] {
    std::vector<Journal> journals = read_all(options.journals);
    const fleet::Waivers waivers = apply_waivers(journals, environment, reports.waivers_path);
    return journals.size() == 1 ? report_on_one(journals.front(), reports)
                                : report_on_several(journals, waivers, reports);
  });
}

}  // namespace gpucheck::application
