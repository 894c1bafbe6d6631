#include "input/machine/found_devices.hpp"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "device/values/error_codes.hpp"
#include "input/devices/devices.hpp"
#include "input/devices/unusable_gpus.hpp"

namespace gpucheck::application {
namespace {

using device::DeviceProperties;
using Wire = nlohmann::json;

std::string reason(device::Status status) {
  const std::string_view next = device::next_step_for(static_cast<int>(status));
  return fmt::format("{}{}{}", device::status_words(status), next.empty() ? "" : ": ", next);
}

/// Calls `each` with the name and the value of what `info` shows of a device.
template <typename Properties>
void for_each_field(Properties& device, auto each) {
  each("name", device.name);
  each("uuid", device.uuid);
  each("pci_bus_id", device.pci_bus_id);
  each("total_memory_bytes", device.total_memory_bytes);
  each("multiprocessor_count", device.multiprocessor_count);
  each("compute_capability_major", device.compute_capability_major);
  each("compute_capability_minor", device.compute_capability_minor);
  each("multiprocessor_clock_khz", device.multiprocessor_clock_khz);
  each("memory_clock_khz", device.memory_clock_khz);
  each("memory_bus_bits", device.memory_bus_bits);
  each("host_link_generation", device.host_link.generation);
  each("host_link_lanes", device.host_link.lanes);
}

std::string sent(const MachineReport::Devices& devices) {
  Wire json{{"problem", devices.problem},
            {"versions", {devices.versions.driver, devices.versions.cuda_driver, devices.versions.cuda_runtime}},
            {"found", Wire::array()}};
  for (const DeviceProperties& device : devices.found) {
    Wire& fields = json["found"].emplace_back(Wire::object());
    for_each_field(device, [&fields](const char* name, const auto& value) { fields[name] = value; });
  }
  return json.dump(-1, ' ', false, Wire::error_handler_t::replace);
}

}  // namespace

void send_cuda_devices(const std::function<void(const std::string&)>& send) {
  const std::unique_ptr<device::Driver> driver = make_cuda_driver();
  MachineReport::Devices devices;
  if (!driver) {
    devices.problem = without_cuda;
    return send(sent(devices));
  }
  const device::Result<int> count = driver->device_count();
  devices.versions = driver->versions();
  if (!count.has_value()) devices.problem = reason(count.error());
  if (count.has_value() && *count == 0) devices.problem = "the driver sees none";
  send(sent(devices));
  for (int ordinal = 0; ordinal < (count.has_value() ? *count : 0); ++ordinal) {
    device::Result<DeviceProperties> device = driver->properties(ordinal);
    if (device.has_value()) {
      devices.found.push_back(std::move(*device));
    } else {
      devices.problem = fmt::format("device {} cannot say what it is: {}", ordinal, reason(device.error()));
    }
    send(sent(devices));
  }
}

MachineReport::Devices cuda_devices_from(const std::string& sent) {
  const Wire json = Wire::parse(sent);
  MachineReport::Devices devices;
  devices.problem = json.at("problem").get<std::string>();
  const auto versions = json.at("versions").get<std::array<std::string, 3>>();
  devices.versions = {.driver = versions[0], .cuda_driver = versions[1], .cuda_runtime = versions[2]};
  for (const Wire& fields : json.at("found")) {
    DeviceProperties& device = devices.found.emplace_back();
    for_each_field(device, [&fields](const char* name, auto& value) { fields.at(name).get_to(value); });
  }
  return devices;
}

}  // namespace gpucheck::application
