#include <charconv>

#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health::software {
namespace {

using Texts = std::vector<std::string>;

/// Each with the reason.
Texts unusable(const std::vector<telemetry::NamedState>& list) {
  Texts texts;
  for (const telemetry::NamedState& each : list) {
    if (!each.problem.empty()) texts.push_back(fmt::format("{}: {}", each.name, each.problem));
  }
  return texts;
}

/// CUDA's major version that gpucheck is made for. Within one, any driver serves any runtime (NVIDIA's minor version
/// compatibility).
constexpr int cuda_major = 13;

/// 13 of "13.0"; 0 of what is no version.
int major_of(const std::string& version) {
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  return major;
}

void run(harness::Context& context) {
  const telemetry::Machine machine = context.telemetry().machine();
  const telemetry::Host& host = machine.host;
  if (!host.device_files_problem.empty() && !host.libraries_problem.empty()) {
    throw harness::Skip(
        fmt::format("device files: {}; libraries: {}", host.device_files_problem, host.libraries_problem));
  }
  context.observe("unusable_device_files", unusable(host.device_files));
  context.observe("unusable_libraries", unusable(host.libraries));
  context.observe("driver_is_new_enough", major_of(machine.cuda_version) >= cuda_major);
  context.observe("driver_version", machine.driver_version);
  context.observe("cuda_of_driver", machine.cuda_version);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.software",
      .summary = "The driver's device files can be opened, its libraries load, and it is new enough for CUDA",
      .source = "NVIDIA's driver installation guide",
      .needs = {.devices = 0},
      .faults = {{.name = "device_file_denied",
                  .summary = "a GPU's device file may not be opened",
                  .telemetry = telemetry::always(Aspect::device_file, "Permission denied")},
                 {.name = "library_missing",
                  .summary = "a library of the driver is not installed",
                  .telemetry = telemetry::always(Aspect::library, "cannot open shared object file")},
                 {.name = "old_driver",
                  .summary = "the driver is older than CUDA needs",
                  .telemetry = telemetry::always(Aspect::cuda_version, "11.0")}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::software
