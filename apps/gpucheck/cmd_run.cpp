#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "base/error.hpp"
#include "commands.hpp"
#include "execution.hpp"
#include "orphans.hpp"
#include "report/sinks.hpp"
#include "selection.hpp"

namespace gpucheck::application {

namespace {

using harness::Case;
using runner::PlannedCase;
using Cases = std::vector<const Case*>;

void check_fault(const Cases& cases, const std::string& fault) {
  for (const Case* which : cases) {
    if (fault.empty() || which->find_fault(fault) != nullptr) continue;
    throw UsageError(
        fmt::format("{} has no fault \"{}\"; gpucheck describe {} lists its faults", which->name, fault, which->name));
  }
}

std::vector<PlannedCase> make_plan(const Cases& cases, const RunOptions& options) {
  check_fault(cases, options.fault);
  runner::PlanOptions plan_options;
  plan_options.repeat = options.repeat;
  plan_options.shuffle = options.shuffle;
  plan_options.shard = options.shard;
  std::vector<PlannedCase> plan = plan_cases(cases, options.execution, plan_options);
  if (plan.empty()) {
    throw EnvironmentError(fmt::format("shard {}/{} of {} selected cases is empty: nothing to run", options.shard.index,
                                       options.shard.count, cases.size()));
  }
  for (PlannedCase& planned : plan) planned.fault = options.fault;
  return plan;
}

runner::Options options_for_runner(const Environment& environment, const RunOptions& options) {
  runner::Options result = runner_options(environment, options.execution);
  if (options.isolation == runner::Isolation::process) result.isolation = options.isolation;
  result.fail_fast = options.fail_fast;
  result.retries = options.retries;
  result.max_skips = options.max_skips;
  return result;
}

void check_report_paths(const RunOptions& options) {
  if (options.json_path.empty() || options.junit_path.empty()) return;
  const auto normal = [](const std::string& path) { return std::filesystem::path(path).lexically_normal(); };
  if (normal(options.json_path) != normal(options.junit_path)) return;
  throw UsageError(fmt::format("--json and --junit both name \"{}\"; give each its own file", options.json_path));
}

using Sinks = std::vector<std::unique_ptr<harness::EventSink>>;

/// The console goes to stderr when a report takes stdout.
Sinks make_sinks(const RunOptions& options) {
  check_report_paths(options);
  const bool stdout_taken = options.json_path == "-" || options.junit_path == "-";
  report::ConsoleOptions console;
  console.stream = stdout_taken ? stderr : stdout;
  console.colour = use_colour(options.colour, console.stream);
  console.live_progress = !options.quiet && can_redraw(console.stream);
  console.quiet = options.quiet;
  console.verbose = options.verbose;
  Sinks sinks;
  sinks.push_back(report::make_console(console));
  if (!options.json_path.empty()) sinks.push_back(report::make_json(options.json_path));
  if (!options.junit_path.empty()) sinks.push_back(report::make_junit(options.junit_path));
  return sinks;
}

bool only_skips(const harness::Counts& counts) {
  return counts.skip > 0 && counts.skip == counts.total() && counts.not_run == 0;
}

}  // namespace

int run(const Environment& environment, const RunOptions& options) {
  const Cases cases =
      for_allocator(select(environment.registry, options.selection), options.selection, options.execution.allocator);
  const std::vector<PlannedCase> plan = make_plan(cases, options);
  const runner::Options run_options = options_for_runner(environment, options);
  const golden::GoldenSet goldens = load_goldens(environment, options.execution.golden_directory);
  const Sinks sinks = make_sinks(options);
  std::vector<harness::EventSink*> listeners;
  for (const auto& sink : sinks) listeners.push_back(sink.get());
  OrphanReporter reporter(find_orphans(goldens, environment.registry, options.selection), listeners, options.max_skips);
  harness::EventSink* const reporters[] = {&reporter};
  const runner::RunSummary summary = runner::run(plan, goldens, run_options, reporters);
  const harness::ExitCode exit_code = reporter.exit_code(summary);
  const bool red = exit_code != harness::ExitCode::passed && exit_code != harness::ExitCode::not_judged;
  if (options.skip_exit_code && !red && only_skips(summary.counts)) return *options.skip_exit_code;
  return static_cast<int>(exit_code);
}

}  // namespace gpucheck::application
