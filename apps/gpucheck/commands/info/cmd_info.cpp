#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "commands/commands.hpp"
#include "commands/info/gpu_code.hpp"
#include "commands/info/info_document.hpp"
#include "commands/info/telemetry_text.hpp"
#include "input/devices/devices.hpp"
#include "input/machine/machine_state.hpp"
#include "output/version.hpp"
#include "telemetry/machine/machine_file.hpp"

namespace gpucheck::application {

namespace {

std::string device_text(std::size_t ordinal, const device::DeviceProperties& device) {
  std::string text =
      fmt::format("  cuda:{}  {}, {}, {}, {}, {} multiprocessors, compute capability {}.{}\n", ordinal, device.name,
                  device.uuid, device.pci_bus_id, format_bytes(device.total_memory_bytes), device.multiprocessor_count,
                  device.compute_capability_major, device.compute_capability_minor);
  const std::string advice = advice_on(gpu_code(build_information().cuda_architectures, device.compute_capability_major,
                                                device.compute_capability_minor),
                                       device.compute_capability_major, device.compute_capability_minor);
  if (!advice.empty()) text += fmt::format("          {}\n", advice);
  return text;
}

std::string devices_text(const MachineReport::Devices& devices) {
  std::string text = "CUDA devices\n";
  for (std::size_t i = 0; i < devices.found.size(); ++i) text += device_text(i, devices.found[i]);
  if (!devices.problem.empty()) text += fmt::format("  none usable: {}\n", devices.problem);
  return text;
}

std::string libraries_text(const std::vector<LibraryReport>& libraries) {
  std::string text = "libraries\n";
  for (const LibraryReport& library : libraries) {
    const std::string found = fmt::format("{}{}{}", library.version, library.version.empty() ? "" : ", ", library.path);
    text += fmt::format("  {:<11}  {}\n", library.name,
                        library.path.empty()      ? "not found: " + library.problem
                        : library.problem.empty() ? found
                                                  : fmt::format("{}: {}", found, library.problem));
  }
  return text;
}

/// What the driver reports of its GPUs, or why it does not; and which of them do not answer.
std::string state_text(const MachineState& state) {
  std::string text = state.problem.empty() ? telemetry_text(state.machine)
                                           : fmt::format("state of the GPUs\n  not known: {}\n", state.problem);
  for (const std::string& silent : state.silent) text += fmt::format("  {}\n", one_line(silent));
  return text;
}

/// A recording holds also what a GPU did not answer; without any GPU there is nothing to record.
void record(const std::string& path, const MachineState& state) {
  OutputFile file(path, "recording");
  for (const std::string& silent : state.silent) note(silent);
  if (!state.problem.empty() && state.machine.gpus.empty()) throw EnvironmentError(state.problem);
  file.commit(telemetry::machine_text(state.machine));
}

}  // namespace

int info(const Environment& /*environment*/, const InfoOptions& options) {
  if (options.record_path == "-") {
    record(options.record_path, ask_gpus());
    return 0;
  }
  const MachineAnswers answers = ask_machine();
  if (!options.record_path.empty()) record(options.record_path, answers.state);
  const MachineReport& report = answers.report;
  if (options.json) {
    print_document(info_document(report));
  } else {
    print(fmt::format("{}\n\n{}{}simulated device\n  profiles: {}\n{}", version_text(), devices_text(report.cuda),
                      state_text(answers.state), fmt::join(simulator_profiles(), ", "),
                      libraries_text(report.libraries)));
  }
  return 0;
}

}  // namespace gpucheck::application
