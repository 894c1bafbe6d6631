#include "commands/info/info_document.hpp"

#include <nlohmann/json.hpp>

#include "commands/info/gpu_code.hpp"
#include "input/devices/devices.hpp"
#include "output/document.hpp"
#include "output/version.hpp"

namespace gpucheck::application {

namespace {

using Json = nlohmann::ordered_json;

Json device_json(const device::DeviceProperties& device) {
  return {{"name", device.name},
          {"uuid", device.uuid},
          {"pci_bus_id", device.pci_bus_id},
          {"total_memory_bytes", device.total_memory_bytes},
          {"multiprocessor_count", device.multiprocessor_count},
          {"compute_capability_major", device.compute_capability_major},
          {"compute_capability_minor", device.compute_capability_minor},
          {"code", to_text(gpu_code(build_information().cuda_architectures, device.compute_capability_major,
                                    device.compute_capability_minor))},
          {"multiprocessor_clock_khz", device.multiprocessor_clock_khz},
          {"memory_clock_khz", device.memory_clock_khz},
          {"memory_bus_bits", device.memory_bus_bits},
          {"host_link_generation", device.host_link.generation},
          {"host_link_lanes", device.host_link.lanes}};
}

Json devices_json(const MachineReport::Devices& devices) {
  Json json{{"devices", Json::array()},
            {"problem", devices.problem},
            {"driver_version", devices.versions.driver},
            {"cuda_driver_version", devices.versions.cuda_driver},
            {"cuda_runtime_version", devices.versions.cuda_runtime}};
  for (const device::DeviceProperties& device : devices.found) json["devices"].push_back(device_json(device));
  return json;
}

Json build_json() {
  const BuildInformation& build = build_information();
  return {{"version", build.version},
          {"compiler", build.compiler},
          {"build_type", build.build_type},
          {"cuda_toolkit", build.cuda_toolkit},
          {"cuda_architectures", build.cuda_architectures}};
}

}  // namespace

std::string info_document(const MachineReport& report) {
  Json document{{"schema", "gpucheck.info/1"},       {"build", build_json()},
                {"cuda", devices_json(report.cuda)}, {"simulator", {{"profiles", simulator_profiles()}}},
                {"silent_gpus", report.silent_gpus}, {"libraries", Json::array()}};
  for (const LibraryReport& library : report.libraries) {
    document["libraries"].push_back({{"name", library.name},
                                     {"found", !library.path.empty()},
                                     {"path", library.path},
                                     {"version", library.version},
                                     {"problem", library.problem}});
  }
  return document_text(document);
}

}  // namespace gpucheck::application
