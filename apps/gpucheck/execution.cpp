#include "execution.hpp"

#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "base/error.hpp"
#include "devices.hpp"
#include "version.hpp"

namespace gpucheck::application {

namespace {

using harness::Case;

/// A parameter that nothing selected declares is a mistake, not something to ignore.
void check_parameter_names(std::span<const Case* const> cases, const ExecutionOptions& options) {
  std::set<std::string_view> declared;
  for (const Case* which : cases) {
    for (const harness::Parameter& parameter : which->parameters) declared.insert(parameter.name);
  }
  for (const auto& [name, value] : options.parameters) {
    if (declared.contains(name)) continue;
    const std::string known = declared.empty() ? "they have no parameters"
                                               : fmt::format("their parameters are: {}", fmt::join(declared, ", "));
    throw UsageError(fmt::format("no selected case has a parameter \"{}\"; {}", name, known));
  }
}

/// Read per case, since two cases may declare one name with different types and ranges.
harness::ParameterValues parse_parameters(const Case& which, const ExecutionOptions& options) {
  harness::ParameterValues values;
  for (const auto& [name, text] : options.parameters) {
    const harness::Parameter* parameter = which.find_parameter(name);
    if (parameter != nullptr) values.insert_or_assign(name, parameter->parse(text));
  }
  return values;
}

}  // namespace

std::vector<runner::PlannedCase> plan_cases(std::span<const Case* const> cases, const ExecutionOptions& options,
                                            runner::PlanOptions plan_options) {
  check_parameter_names(cases, options);
  plan_options.seed = options.seed;
  std::vector<runner::PlannedCase> plan = runner::make_plan(cases, plan_options);
  for (runner::PlannedCase& planned : plan) planned.parameters = parse_parameters(*planned.which, options);
  return plan;
}

runner::Options runner_options(const Environment& environment, const ExecutionOptions& options) {
  check_device_name(options.device);
  runner::Options result;
  result.program = "/proc/self/exe";
  result.device = options.device;
  result.jobs = options.jobs;
  result.timeout = options.timeout;
  result.seed = options.seed;
  result.version = build_information().version;
  result.command_line = environment.command_line;
  result.golden_directory = options.golden_directory;
  result.allocator = options.allocator;
  // What a library keeps from one case must not reach the next.
  if (options.allocator.kind == runtime::AllocatorChoice::Kind::library) {
    result.isolation = runner::Isolation::process;
  }
  return result;
}

void RunRecorder::on(const harness::RunStarted& event) { device_ = event.device; }
void RunRecorder::on(const harness::CaseStarted& /*event*/) {}
void RunRecorder::on(const harness::CaseFinished& /*event*/) {
  if (on_case) on_case();
}
void RunRecorder::on(const harness::RunFinished& event) { interrupted_by_signal_ = event.interrupted_by_signal; }

std::vector<harness::CaseResult> run_quietly(std::span<const runner::PlannedCase> plan,
                                             const golden::GoldenSet& goldens, const runner::Options& options,
                                             RunRecorder& recorder) {
  harness::EventSink* const sinks[] = {&recorder};
  return runner::run(plan, goldens, options, sinks).results;
}

void note_device(const harness::DeviceIdentity& device) {
  if (!device.note.empty()) note(device.note);
  note(fmt::format("device {}:{} ({})", device.kind, device.ordinal, device.name));
}

harness::ExitCode interrupted_exit_code(int signal) noexcept {
  return signal == SIGTERM ? harness::ExitCode::terminated : harness::ExitCode::interrupted;
}

}  // namespace gpucheck::application
