#include <csignal>
#include <fmt/format.h>

#include "base/error.hpp"
#include "commands.hpp"
#include "execution.hpp"
#include "orphans.hpp"
#include "reports.hpp"
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
  check_fault(cases, options.execution.settings.fault);
  std::vector<PlannedCase> plan = runner::make_plan(cases, {.settings = options.execution.settings,
                                                            .repeat = options.repeat,
                                                            .shuffle = options.shuffle,
                                                            .shard = options.shard});
  if (plan.empty()) {
    throw EnvironmentError(fmt::format("shard {}/{} of {} selected cases is empty: nothing to run", options.shard.index,
                                       options.shard.count, cases.size()));
  }
  return plan;
}

fleet::Waivers waivers_for(const Environment& environment, const std::string& path) {
  if (path.empty()) return {};
  std::vector<std::string> names;
  for (const Case& known : environment.registry.cases()) names.push_back(known.name);
  return fleet::read_waivers(path, names);
}

runner::Options options_for_runner(const Environment& environment, const RunOptions& options) {
  runner::Options result = runner_options(environment, options.execution);
  if (options.isolation == runner::Isolation::process) result.isolation = options.isolation;
  result.fail_fast = options.fail_fast;
  result.retries = options.retries;
  result.max_skips = options.max_skips;
  result.waivers = waivers_for(environment, options.reports.waivers_path);
  return result;
}

/// Whoever reads the console may leave (`| head`): the run goes on for its other reports,
/// and says at its end that the output could not be written. A handler, since it does not
/// reach the workers as ignoring the signal would.
void outlive_readers() {
  std::signal(SIGPIPE, [](int) {});
}

bool only_skips(const harness::Counts& counts) {
  return counts.skip > 0 && counts.skip == counts.total() && counts.not_run == 0;
}

}  // namespace

int run(const Environment& environment, const RunOptions& options) {
  const Cases cases = for_allocator(select(environment.registry, options.selection), options.selection,
                                    options.execution.settings.allocator);
  const std::vector<PlannedCase> plan = make_plan(cases, options);
  const runner::Options run_options = options_for_runner(environment, options);
  const golden::GoldenSet goldens = load_goldens(environment, options.execution.settings.golden_directory);
  outlive_readers();
  const Reports reports(options.reports);
  OrphanReporter reporter(find_orphans(goldens, environment.registry, options.selection), reports.sinks(),
                          options.max_skips);
  harness::EventSink* const reporters[] = {&reporter};
  const runner::RunSummary summary = runner::run(plan, goldens, run_options, reporters);
  const harness::ExitCode verdict = reporter.exit_code(summary);
  const bool red = verdict != harness::ExitCode::passed && verdict != harness::ExitCode::not_judged;
  const bool told = reports.exit_code(harness::ExitCode::passed) == harness::ExitCode::passed;
  if (options.skip_exit_code && told && !red && only_skips(summary.counts)) return *options.skip_exit_code;
  return static_cast<int>(reports.exit_code(verdict));
}

}  // namespace gpucheck::application
