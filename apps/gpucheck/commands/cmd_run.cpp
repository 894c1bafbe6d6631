#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "commands/execution.hpp"
#include "commands/resume.hpp"
#include "config/parameters.hpp"
#include "input/engine.hpp"
#include "input/selection.hpp"
#include "input/site_environment.hpp"
#include "input/world.hpp"
#include "output/distinct_files.hpp"
#include "output/reports.hpp"
#include "report/journal/journal.hpp"
#include "runner/process/signals.hpp"
#include "runner/supervision/orphans.hpp"

namespace gpucheck::application {

namespace {

using harness::Case;
using Cases = std::vector<const Case*>;

void check_fault(const Cases& cases, const std::string& fault) {
  for (const Case* test_case : cases) {
    if (fault.empty() || test_case->find_fault(fault) != nullptr) continue;
    throw UsageError(fmt::format("{} has no fault \"{}\"; gpucheck describe {} lists its faults", test_case->name,
                                 fault, test_case->name));
  }
}

runner::Plan make_plan(const Selected& selected, const RunOptions& options) {
  const harness::RunSettings& settings = options.runner.settings;
  const Cases cases = for_allocator(selected.cases, options.selection, settings.allocator);
  check_fault(cases, settings.fault);
  std::vector<harness::CaseResult> orphans;
  for (const std::string& name : selected.orphans) orphans.push_back(runner::orphan_result(name, settings));
  runner::PlanOptions plan = options.plan;
  plan.settings = settings;
  return runner::make_plan(cases, plan, orphans);
}

/// The cases that neither passed nor were skipped in a run, or were not reached, on some device.
std::set<std::string> to_repeat_of(const std::string& path) {
  const report::Journal journal = report::read_journal(path);
  const auto is_done = [](const harness::CaseResult& result) {
    return result.outcome == harness::Outcome::pass || result.outcome == harness::Outcome::skip;
  };
  std::set<std::string> names;
  for (const harness::CaseResult& result : journal.record().results) {
    if (!is_done(result)) names.insert(result.name);
  }
  for (const harness::SelectedCase& one : journal.end().not_run) names.insert(one.name);
  return names;
}

Selected to_rerun(Selected selected, const std::string& journal) {
  if (journal.empty()) return selected;
  const std::set<std::string> names = to_repeat_of(journal);
  std::erase_if(selected.cases, [&](const Case* test_case) { return !names.contains(test_case->name); });
  std::erase_if(selected.orphans, [&](const std::string& name) { return !names.contains(name); });
  return selected;
}

fleet::Waivers waivers_for(const Environment& environment, const golden::GoldenSet& goldens, const std::string& path) {
  if (path.empty()) return {};
  std::vector<std::string> names = runner::orphan_goldens(environment.registry, goldens);
  for (const Case& known : environment.registry.cases()) names.push_back(known.name);
  return fleet::read_waivers(path, names);
}

runner::Options options_for_runner(const Environment& environment, const golden::GoldenSet& goldens,
                                   const RunOptions& options) {
  runner::Options result = runner_options(environment, options.runner);
  result.golden_digest = goldens.digest();
  if (result.deadline) result.durations = environment.durations();
  result.heartbeat = heartbeat(options.reports);
  result.waivers = waivers_for(environment, goldens, options.reports.waivers_path);
  return result;
}

void make_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw EnvironmentError(fmt::format("cannot make {} for the traces: {}", folder, problem.message()));
}

/// Cases that check a library of the user's are left out where none is given.
void note_left_out(const Selected& selected, const RunOptions& options) {
  const Cases kept = for_allocator(selected.cases, options.selection, options.runner.settings.allocator);
  const std::size_t left_out = selected.cases.size() - kept.size();
  if (left_out == 0 || options.reports.quiet) return;
  note(fmt::format("left out: {}; --allocator FILE.so runs {}",
                   left_out == 1 ? "1 case that checks an allocator library of yours"
                                 : fmt::format("{} cases that check an allocator library of yours", left_out),
                   left_out == 1 ? "it" : "them"));
}

std::string why_nothing(const Selected& selected, const RunOptions& options) {
  const runner::Shard& shard = options.plan.shard;
  if (!selected.empty()) {
    return fmt::format("shard {}/{} of {} selected cases is empty: nothing to run", shard.index, shard.count,
                       selected.cases.size() + selected.orphans.size());
  }
  if (options.rerun_journal.empty()) return nothing_selected_text();
  return fmt::format("{}: every selected case passed or was skipped in that run: nothing to run",
                     options.rerun_journal);
}

/// Reports are written all the same: whoever waits for them learns that nothing was to be done.
int run_nothing(const Selected& selected, const runner::Options& run_options, const RunOptions& options,
                Reports& reports) {
  const std::string why = why_nothing(selected, options);
  if (run_options.no_cases != "pass") note(run_options.no_cases == "warn" ? "warning: " + why : why);
  harness::EventSink* const sinks[] = {&reports};
  return reports.exit_code(static_cast<int>(runner::run_nothing(run_options, sinks).exit_code));
}

/// The journal with which the run goes on; nothing where it is not resumed.
std::optional<ResumedJournal> resumed_journal(const RunOptions& options, const runner::Plan& plan,
                                              const runner::Options& run_options) {
  if (!options.resume) return std::nullopt;
  if (options.plan.repeat > 1) throw UsageError("--resume: a run that is repeated cannot be resumed");
  const std::string path = journal_path(options.reports);
  if (path.empty() || path == "-") {
    throw UsageError("--resume: the run writes no journal with which it could go on: give it one with --journal FILE");
  }
  std::set<std::string> names;
  for (const runner::PlannedCase& planned : plan.cases) names.insert(planned.test_case->name);
  for (const harness::CaseResult& orphan : plan.ready) names.insert(orphan.name);
  return ResumedJournal(path, run_options, {.cases = std::move(names), .site_cases = runner::site_cases(plan)});
}

/// Each process of a job has a part of the cases then, and those between processes need all of them.
void check_shard(const Cases& cases, const runner::Shard& shard) {
  const bool several =
      std::ranges::any_of(cases, [](const Case* test_case) { return test_case->needs.several_processes; });
  if (!several || shard.count == 1) return;
  throw UsageError("--shard: the cases between processes are run by all of them; run the suite fabric by itself");
}

int run_and_report(const Environment& environment, const RunOptions& given) {
  const golden::GoldenSet goldens =
      load_goldens(environment, given.runner.settings.golden_directory, given.runner.settings.limits_path);
  Selected selected = to_rerun(select(environment.registry, goldens, given.selection), given.rerun_journal);
  selected.cases = for_processes(std::move(selected.cases), given.selection);
  const Cases cases = for_allocator(selected.cases, given.selection, given.runner.settings.allocator);
  const RunOptions options = with_parameters_of(cases, environment.registry, given);
  const runner::Plan plan = make_plan(selected, options);
  runner::Options run_options = options_for_runner(environment, goldens, options);
  const std::optional<ResumedJournal> resumed = resumed_journal(options, plan, run_options);
  if (resumed) {
    run_options.resumed = resumed->run();
    resumed->put_aside();
  }
  Reports reports(options.reports);
  if (plan.empty()) return run_nothing(selected, run_options, options, reports);
  check_shard(cases, options.plan.shard);
  const auto rendezvous = serve_rendezvous(cases, run_options.world);
  run_options.on_lost_trace = [&reports](const std::string& why) { reports.lost_trace(why); };
  harness::EventSink* const sinks[] = {&reports};
  const runner::RunSummary summary = runner::run(plan, goldens, run_options, sinks);
  if (resumed) resumed->finish(summary.results);
  note_left_out(selected, options);
  return reports.exit_code(static_cast<int>(summary.exit_code));
}

std::vector<NamedFile> files_read(const RunOptions& options) {
  const std::optional<harness::Configuration>& configuration = options.runner.configuration;
  std::vector<NamedFile> files = files_of_settings(options.runner.settings);
  files.push_back({"the configuration", configuration ? configuration->path : ""});
  files.push_back({"the waivers", options.reports.waivers_path});
  files.push_back({"the journal of --rerun-failed", options.rerun_journal});
  return files;
}

RunOptions with_names_of_this_process(RunOptions options) {
  const Engine engine = engine_of_this_process();
  for (Output& output : options.reports.outputs) output.path = path_of_this_process(output.path, engine);
  options.runner.trace_folder = path_of_this_process(options.runner.trace_folder, engine);
  options.runner.settings.device = device_of_this_process(options.runner.settings.device, engine);
  options.runner.world = world_of_this_process(engine, options.runner.world.rendezvous);
  return options;
}

/// No file that is written is another one, or one that is read.
void check_files(const Environment& environment, const RunOptions& options) {
  const std::vector<NamedFile> written = report_files(options.reports);
  std::vector<NamedFile> all = files_read(options);
  check_distinct(written, all);
  check_outside(written, {"the golden files", options.runner.settings.golden_directory});
  for (const std::string& folder : options.runner.settings.case_folders) check_outside(written, {"the cases", folder});
  std::ranges::copy(written, std::back_inserter(all));
  std::vector<std::string_view> cases;
  for (const Case& test_case : environment.registry.cases()) cases.push_back(test_case.name);
  check_no_trace(all, options.runner.trace_folder, cases);
}

}  // namespace

int run(const Environment& given, const RunOptions& typed) {
  const RunOptions options = with_names_of_this_process(typed);
  if (options.runner.deadline) runner::end_process_at(*options.runner.deadline);
  const SiteEnvironment site(given, options.runner.settings.case_folders);
  const Environment& environment = site.get();
  check_files(environment, options);
  make_folder(options.runner.trace_folder);
  runner::SignalGuard::begin_run();  // before any report is opened: each that is gets written
  return without_old_reports(options.reports, [&] { return run_and_report(environment, options); });
}

}  // namespace gpucheck::application
