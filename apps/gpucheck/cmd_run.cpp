#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "base/error.hpp"
#include "commands.hpp"
#include "distinct_files.hpp"
#include "execution.hpp"
#include "reports.hpp"
#include "runner/orphans.hpp"
#include "runner/signals.hpp"
#include "selection.hpp"

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
  const harness::RunSettings& settings = options.execution.settings;
  const Cases cases = for_allocator(selected.cases, options.selection, settings.allocator);
  check_fault(cases, settings.fault);
  std::vector<harness::CaseResult> orphans;
  for (const std::string& name : selected.orphans) orphans.push_back(runner::orphan_result(name, settings));
  runner::Plan plan = runner::make_plan(
      cases, {.settings = settings, .repeat = options.repeat, .shuffle = options.shuffle, .shard = options.shard},
      orphans);
  if (plan.empty()) {
    throw EnvironmentError(fmt::format("shard {}/{} of {} selected cases is empty: nothing to run", options.shard.index,
                                       options.shard.count, cases.size() + orphans.size()));
  }
  return plan;
}

fleet::Waivers waivers_for(const Environment& environment, const golden::GoldenSet& goldens, const std::string& path) {
  if (path.empty()) return {};
  std::vector<std::string> names = runner::orphan_goldens(environment.registry, goldens);
  for (const Case& known : environment.registry.cases()) names.push_back(known.name);
  return fleet::read_waivers(path, names);
}

runner::Options options_for_runner(const Environment& environment, const golden::GoldenSet& goldens,
                                   const RunOptions& options) {
  runner::Options result = runner_options(environment, options.execution);
  if (options.isolation == runner::Isolation::process) result.isolation = options.isolation;
  result.fail_fast = options.fail_fast;
  result.retries = options.retries;
  result.remeasure = options.remeasure;
  result.max_skips = options.max_skips;
  result.skip_exit_code = options.skip_exit_code;
  result.trace_folder = options.trace_folder;
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

int run_and_report(const Environment& environment, const RunOptions& options) {
  const golden::GoldenSet goldens =
      load_goldens(environment, options.execution.settings.golden_directory, options.execution.settings.limits_path);
  const runner::Plan plan = make_plan(select(environment.registry, goldens, options.selection), options);
  const runner::Options run_options = options_for_runner(environment, goldens, options);
  Reports reports(options.reports);
  harness::EventSink* const sinks[] = {&reports};
  const runner::RunSummary summary = runner::run(plan, goldens, run_options, sinks);
  return reports.exit_code(static_cast<int>(summary.exit_code));
}

std::vector<NamedFile> files_read(const RunOptions& options) {
  return {{"the waivers", options.reports.waivers_path},
          {"the telemetry", options.execution.settings.telemetry},
          {"the allocator library", options.execution.settings.allocator.library}};
}

}  // namespace

int run(const Environment& environment, const RunOptions& options) {
  check_distinct(report_files(options.reports), files_read(options));
  make_folder(options.trace_folder);
  runner::SignalGuard::begin_run();  // before any report is opened: each that is gets written
  return without_old_reports(options.reports, [&] { return run_and_report(environment, options); });
}

}  // namespace gpucheck::application
