#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/units.hpp"
#include "commands.hpp"
#include "documents.hpp"
#include "telemetry/machine_file.hpp"
#include "telemetry/source.hpp"
#include "telemetry_text.hpp"
#include "version.hpp"

namespace gpucheck::application {

namespace {

std::string reason(device::Status status) {
  return fmt::format("{} ({})", device::status_text(status), device::status_name(status));
}

MachineReport::Devices find_cuda_devices() {
  const std::unique_ptr<device::Driver> driver = make_cuda_driver();
  MachineReport::Devices devices;
  if (!driver) {
    devices.problem = "this binary was built without a CUDA toolkit";
    return devices;
  }
  const device::Result<int> count = driver->device_count();
  devices.versions = driver->versions();
  if (!count.has_value()) devices.problem = reason(count.error());
  if (count.has_value() && *count == 0) devices.problem = "the driver sees none";
  for (int ordinal = 0; ordinal < (count.has_value() ? *count : 0); ++ordinal) {
    device::Result<device::DeviceProperties> device = driver->properties(ordinal);
    if (device.has_value()) {
      devices.found.push_back(std::move(*device));
    } else {
      devices.problem = fmt::format("device {} cannot tell what it is: {}", ordinal, reason(device.error()));
    }
  }
  return devices;
}

std::string device_text(std::size_t ordinal, const device::DeviceProperties& device) {
  return fmt::format("  cuda:{}  {}, {}, {}, {}, {} multiprocessors, compute capability {}.{}\n", ordinal, device.name,
                     device.uuid, device.pci_bus_id, format_bytes(device.total_memory_bytes),
                     device.multiprocessor_count, device.compute_capability_major, device.compute_capability_minor);
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

/// What the driver tells of its GPUs, or why it does not.
std::string state_text() {
  try {
    return telemetry_text(telemetry::open_nvml()->read());
  } catch (const EnvironmentError& error) {
    return fmt::format("state of the GPUs\n  not known: {}\n", error.what());
  }
}

void record(const std::string& path) {
  OutputFile file(path, "recording");
  file.commit(telemetry::machine_text(telemetry::open_nvml()->read()));
}

}  // namespace

int info(const Environment& /*environment*/, const InfoOptions& options) {
  if (!options.record_path.empty()) record(options.record_path);
  if (options.record_path == "-") return 0;
  const MachineReport report{find_cuda_devices(), find_libraries()};
  if (options.json) {
    print_document(info_document(report));
  } else {
    print(fmt::format("{}\n\n{}{}simulated device\n  profiles: {}\n{}", version_text(), devices_text(report.cuda),
                      state_text(), fmt::join(simulator_profiles(), ", "), libraries_text(report.libraries)));
  }
  return 0;
}

}  // namespace gpucheck::application
