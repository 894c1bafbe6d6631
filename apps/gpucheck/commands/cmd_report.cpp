#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/sanitize.hpp"
#include "commands/commands.hpp"
#include "output/distinct_files.hpp"
#include "output/reports.hpp"
#include "report/comparison_text.hpp"
#include "report/journal/journal.hpp"
#include "report/run_record.hpp"

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

std::string uuids_of(const harness::RunStarted& start, const harness::SelectedCase& selected) {
  std::vector<std::string_view> uuids;
  for (const harness::DeviceIdentity& device : start.devices) {
    if (std::ranges::find(selected.devices, device.index) != selected.devices.end()) uuids.push_back(device.uuid);
  }
  return fmt::format("{}", fmt::join(uuids, " and "));
}

/// A case that was reported twice for one device has two verdicts: which one is meant?
void check_told_once(const std::vector<Journal>& journals) {
  std::map<std::tuple<std::string, std::string, std::string>, const Journal*> told;
  for (const Journal& journal : journals) {
    const harness::RunStarted& start = journal.start();
    for (const harness::SelectedCase& selected : start.selected) {
      const std::string devices = uuids_of(start, selected);
      const auto [first, is_new] = told.try_emplace({start.host_name, devices, selected.name}, &journal);
      if (is_new || first->second == &journal) continue;
      throw UsageError(
          fmt::format("{} and {} both hold {} on {}, {}: make reports of them one at a time, or leave one out",
                      first->second->path, journal.path, selected.name, start.host_name, devices));
    }
  }
}

/// "cuda0-1": the devices as the run's driver counts them.
std::string numbers_of(const Journal& journal) {
  std::string text;
  for (const harness::DeviceIdentity& one : journal.start().devices) {
    text += text.empty() ? one.kind : "-";
    text += fmt::format("{}", one.ordinal);
  }
  return text;
}

/// What a device is whatever is visible: its UUID, else its PCI address without the dot that parts names.
std::string identities_of(const Journal& journal) {
  std::vector<std::string> texts;
  for (const harness::DeviceIdentity& one : journal.start().devices) {
    texts.push_back(one.uuid.empty() ? one.pci_bus_id : one.uuid);
    std::ranges::replace(texts.back(), '.', '-');
  }
  return fmt::format("{}", fmt::join(texts, "_"));
}

/// The host's name; with the devices' numbers where a host has several runs on different devices; and with what the
/// devices are where numbers do not say them apart, as of jobs that see one GPU each and call it 0.
std::vector<std::string> labels_of(const std::vector<Journal>& journals) {
  std::map<std::string, std::set<std::pair<std::string, std::string>>> devices_of;
  for (const Journal& journal : journals) {
    devices_of[journal.start().host_name].insert({numbers_of(journal), identities_of(journal)});
  }
  std::vector<std::string> labels;
  for (const Journal& journal : journals) {
    const auto& devices = devices_of[journal.start().host_name];
    std::set<std::string> numbers;
    for (const auto& [number, _] : devices) numbers.insert(number);
    std::string label = journal.start().host_name;
    if (devices.size() > 1) label += "." + numbers_of(journal);
    if (numbers.size() < devices.size()) label += "." + identities_of(journal);
    labels.push_back(one_line(label));
  }
  return labels;
}

/// As the run's own, but an interruption was the run's, not this command's.
int exit_code_of(const Journal& journal) {
  const harness::RunFinished& end = journal.end();
  return end.interrupted_by_signal != 0 ? static_cast<int>(ExitCode::not_judged) : end.exit_code;
}

/// Among several, a run of nothing but skips has shown nothing, whatever it exited with.
ExitCode verdict_on(const Journal& journal) {
  if (harness::is_only_skips(journal.end().counts)) return ExitCode::not_judged;
  const int code = exit_code_of(journal);
  if (code == 1) return ExitCode::failed;
  return code == 0 ? ExitCode::passed : ExitCode::not_judged;
}

/// The verdict on each run: one with a GPU that differs from those of other runs has failed.
std::vector<ExitCode> verdicts_on(const std::vector<Journal>& journals, const report::AcrossRuns& across) {
  std::vector<ExitCode> verdicts;
  for (const Journal& journal : journals) verdicts.push_back(verdict_on(journal));
  for (const harness::Comparison& comparison : across.comparisons) {
    for (const harness::ComparedValue& one : comparison.values) {
      const std::size_t run = across.subjects.at(static_cast<std::size_t>(one.device)).run;
      if (one.verdict == "fail" && !one.waiver) verdicts.at(run) = ExitCode::failed;
    }
  }
  return verdicts;
}

ExitCode verdict_on(const std::vector<ExitCode>& runs) {
  ExitCode verdict = ExitCode::passed;
  for (const ExitCode one : runs) {
    if (one == ExitCode::failed) return one;
    if (one != ExitCode::passed) verdict = one;
  }
  return verdict;
}

int exit_code_of(ExitCode verdict) { return static_cast<int>(verdict); }

int report_on_one(const Journal& journal, const ReportOptions& options) {
  Reports reports(options);
  report::replay_events(journal, reports);
  return reports.exit_code(exit_code_of(journal));
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

int report_on_several(const std::vector<Journal>& journals, const fleet::Waivers& waivers,
                      const ReportOptions& options) {
  check_told_once(journals);
  const std::vector<std::string> labels = labels_of(journals);
  std::vector<report::RunRecord> runs;
  for (const Journal& journal : journals) runs.push_back(journal.record());
  const report::AcrossRuns across = report::compare_runs(runs, waivers);
  const std::vector<ExitCode> verdicts = verdicts_on(journals, across);
  const ExitCode verdict = verdict_on(verdicts);

  std::FILE* const console = console_stream(options);
  const auto say = [console](const std::string& text) {
    const std::string clean = clean_text(text);
    std::fwrite(clean.data(), 1, clean.size(), console);
  };
  std::map<ExitCode, std::vector<std::string>> labels_with;
  for (std::size_t i = 0; i < journals.size(); ++i) {
    say(fmt::format("{}{} ({})\n", i == 0 ? "" : "\n", labels[i], journals[i].path));
    report::replay_events(journals[i], *make_console(options));
    labels_with[verdicts[i]].push_back(labels[i]);
  }
  say("\n");
  for (const harness::Comparison& one : across.comparisons) {
    say(report::comparison_text(one, report::names_in(across), {}));
  }
  for (const auto& [code, names] : labels_with) {
    say(fmt::format("{} of {} runs {}: {}\n", names.size(), runs.size(), word_for(code), fmt::join(names, ", ")));
  }
  const report::RunSet all{.runs = runs, .labels = labels, .across = across, .exit_code = exit_code_of(verdict)};
  bool written = true;
  for (const Output& output : options.outputs) {
    written = write_file(output.path, [&] { return output.format->write(all); }) && written;
  }
  return exit_code_of(!written && verdict == ExitCode::passed ? ExitCode::not_judged : verdict);
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
