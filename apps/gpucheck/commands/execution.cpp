#include "commands/execution.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <variant>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "input/devices/devices.hpp"
#include "input/engine.hpp"
#include "output/terminal.hpp"
#include "output/version.hpp"
#include "telemetry/machine/machine_file.hpp"

namespace gpucheck::application {

namespace {

/// For the workers; a GPU reports its state itself. What cannot be read is said before anything runs.
std::optional<std::string> read_recording(const harness::RunSettings& settings) {
  if (settings.telemetry.empty()) return std::nullopt;
  if (!settings.device.starts_with("sim")) {
    throw UsageError(
        fmt::format("--telemetry {} stands in for the driver of simulated devices alone, and the device "
                    "is {}: say --device sim, for example",
                    settings.telemetry, settings.device));
  }
  // Workers read it again, each of them: a kernel log of 20,000 lines is 200 once it was read.
  return telemetry::machine_text(
      telemetry::parse_machine(read_input_file(settings.telemetry, "recording"), settings.telemetry));
}

}  // namespace

runner::Options runner_options(const Environment& environment, const runner::Options& options) {
  check_device_name(options.settings.device);
  runner::Options result = options;
  result.recording = read_recording(options.settings);
  result.program = "/proc/self/exe";
  result.version = build_information().version;
  result.command_line = environment.command_line;
  Engine engine = engine_of_this_process();
  result.host_name = std::move(engine.node);
  result.job = std::move(engine.job);
  // What a library keeps from one case must not reach the next.
  if (options.settings.allocator.kind == runtime::AllocatorChoice::Kind::library) {
    result.isolation = runner::Isolation::process;
  }
  return result;
}

std::vector<NamedFile> files_of_settings(const harness::RunSettings& settings) {
  std::vector<NamedFile> files{{"the limits", settings.limits_path},
                               {"the telemetry", settings.telemetry},
                               {"the allocator library", settings.allocator.library}};
  for (const auto& [name, value] : settings.parameters) {
    const auto* const path = std::get_if<std::string>(&value);
    std::error_code problem;
    if (path == nullptr || !std::filesystem::is_regular_file(*path, problem)) continue;
    files.push_back({"what the parameter " + name + " names", *path});
  }
  return files;
}

void RunRecorder::on(const harness::RunStarted& event) {
  if (!event.devices.empty()) device_ = event.devices.front();
}
void RunRecorder::on(const harness::CaseStarted& /*event*/) {}
void RunRecorder::on(const harness::CaseFinished& /*event*/) {
  if (on_case) on_case();
}
void RunRecorder::on(const harness::RunFinished& event) {
  interrupted_by_signal_ = event.interrupted_by_signal;
  unfinished_.clear();
  for (const harness::SelectedCase& selected : event.not_run) {
    const bool started = std::ranges::find(event.running, selected) != event.running.end();
    harness::CaseResult& result = unfinished_.emplace_back();
    result.name = selected.name;
    result.reason = started ? "interrupted while it was running" : "not run: the run was interrupted before it";
  }
}

std::vector<harness::CaseResult> run_quietly(const runner::Plan& plan, const golden::GoldenSet& goldens,
                                             const runner::Options& options, RunRecorder& recorder) {
  harness::EventSink* const sinks[] = {&recorder};
  runner::Options on_first = options;
  on_first.every_device = false;
  std::vector<harness::CaseResult> results = runner::run(plan, goldens, on_first, sinks).results;
  results.insert(results.end(), recorder.unfinished().begin(), recorder.unfinished().end());
  return results;
}

void note_device(const harness::DeviceIdentity& device) {
  if (!device.note.empty()) note(device.note);
  note(fmt::format("device {}:{} ({})", device.kind, device.ordinal, device.name));
}

}  // namespace gpucheck::application
